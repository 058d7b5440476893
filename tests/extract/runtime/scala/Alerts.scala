package alerts

import java.lang.{Long => JLong}
import org.apache.flink.api.common.state._
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.{KeyedProcessFunction, ProcessFunction}
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.util.{Collector, OutputTag}

object Limits {
  val Descriptor = new MapStateDescriptor[String, JLong]("limits", Types.STRING, Types.LONG)
}

class Check extends KeyedBroadcastProcessFunction[JLong, JLong, JLong, String] {
  private type Self = KeyedBroadcastProcessFunction[JLong, JLong, JLong, String]
  private val armed = new ValueStateDescriptor[JLong]("armed", Types.LONG)

  override def processElement(n: JLong, ctx: Self#ReadOnlyContext, out: Collector[String]): Unit = {
    val limit = Option(ctx.getBroadcastState(Limits.Descriptor).get("all")).getOrElse(JLong.valueOf(50))
    if (n > limit) getRuntimeContext.getState(armed).update(n)
  }

  override def processBroadcastElement(limit: JLong, ctx: Self#Context, out: Collector[String]): Unit =
    ctx.getBroadcastState(Limits.Descriptor).put("all", limit)
}

/** Works on any context that gives state: the code which asks lies in another class. */
class Remembered[T](name: String, of: Class[T]) extends Serializable {
  @transient private var state: ValueState[T] = _
  def in(function: KeyedProcessFunction[_, _, _]): Unit =
    if (state == null) state = function.getRuntimeContext.getState(new ValueStateDescriptor[T](name, of))
  def set(value: T): Unit = state.update(value)
}

object Alerts {
  private val late = new OutputTag[JLong]("late") {}

  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    val limits = env.fromSequence(1, 3).uid("limits").broadcast(Limits.Descriptor)
    val events = env.fromSequence(1, 100).uid("events").process(new ProcessFunction[JLong, JLong] {
      override def processElement(n: JLong, ctx: ProcessFunction[JLong, JLong]#Context, out: Collector[JLong]): Unit =
        if (n % 5 == 0) ctx.output(late, n) else out.collect(n)
    }).returns(Types.LONG).uid("split")
    events.getSideOutput(late)
      .keyBy((n: JLong) => JLong.valueOf(n % 2))
      .process(new KeyedProcessFunction[JLong, JLong, JLong] {
        private val newest = new Remembered("newest", classOf[JLong])
        override def processElement(
            n: JLong, ctx: KeyedProcessFunction[JLong, JLong, JLong]#Context, out: Collector[JLong]): Unit = {
          newest.in(this)
          newest.set(n)
        }
      }).returns(Types.LONG).uid("remember")
      .sinkTo(new DiscardingSink[JLong]).uid("late-out")
    events.keyBy((n: JLong) => JLong.valueOf(n % 3)).connect(limits).process(new Check).uid("check")
      .sinkTo(new DiscardingSink[String]).uid("out")
    env.execute("alerts")
  }
}
