package windows

import java.lang.{Iterable => JIterable, Long => JLong}
import java.time.Duration
import org.apache.flink.api.common.functions.AggregateFunction
import org.apache.flink.api.common.state._
import org.apache.flink.streaming.api.datastream.{DataStream, SingleOutputStreamOperator}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows
import org.apache.flink.streaming.api.windowing.triggers.{Trigger, TriggerResult}
import org.apache.flink.streaming.api.windowing.windows.TimeWindow
import org.apache.flink.util.Collector

class Largest extends AggregateFunction[JLong, JLong, JLong] {
  override def createAccumulator(): JLong = 0L
  override def add(n: JLong, largest: JLong): JLong = Math.max(n, largest)
  override def getResult(largest: JLong): JLong = largest
  override def merge(a: JLong, b: JLong): JLong = Math.max(a, b)
}

/** Remembers over all windows of a key how many have fired. */
class Fired extends ProcessWindowFunction[JLong, JLong, JLong, TimeWindow] {
  @transient private lazy val descriptor = new ValueStateDescriptor("fired", classOf[JLong])
  override def process(
      key: JLong,
      context: ProcessWindowFunction[JLong, JLong, JLong, TimeWindow]#Context,
      values: JIterable[JLong],
      out: Collector[JLong]): Unit = {
    val fired = context.globalState.getState(descriptor)
    fired.update(Option(fired.value).fold(1L)(_ + 1))
    values.forEach(n => out.collect(n))
  }
}

/** Fires at every hundredth element: a trigger with state of its own. */
class EveryHundredth extends Trigger[JLong, TimeWindow] {
  private val seen = new ValueStateDescriptor("seen-by-trigger", classOf[JLong])
  override def onElement(n: JLong, time: Long, w: TimeWindow, ctx: Trigger.TriggerContext): TriggerResult = {
    val state = ctx.getPartitionedState(seen)
    state.update(Option(state.value).fold(1L)(_ + 1))
    if (state.value % 100 == 0) TriggerResult.FIRE else TriggerResult.CONTINUE
  }
  override def onProcessingTime(time: Long, w: TimeWindow, ctx: Trigger.TriggerContext) = TriggerResult.FIRE
  override def onEventTime(time: Long, w: TimeWindow, ctx: Trigger.TriggerContext) = TriggerResult.CONTINUE
  override def clear(w: TimeWindow, ctx: Trigger.TriggerContext): Unit = ctx.getPartitionedState(seen).clear()
}

object Windows {
  implicit class Named(val stream: SingleOutputStreamOperator[JLong]) extends AnyVal {
    def known(as: String): SingleOutputStreamOperator[JLong] = stream.uid(as).name(as)
  }

  private def summed(stream: DataStream[JLong], seconds: Long = 5L) =
    stream.keyBy((n: JLong) => JLong.valueOf(n % 3)).window(TumblingProcessingTimeWindows.of(Duration.ofSeconds(seconds)))

  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    val numbers = env.fromSequence(1, 100).uid("numbers")
    summed(numbers).aggregate(new Largest, new Fired).known("largest")
      .sinkTo(new DiscardingSink[JLong]).uid("largest-out")
    summed(numbers, seconds = 60).trigger(new EveryHundredth).reduce((a: JLong, b: JLong) => a + b).known("sums")
      .sinkTo(new DiscardingSink[JLong]).uid("sums-out")
    env.execute("windows")
  }
}
