package sensors

import java.lang.{Double => JDouble, Long => JLong}
import org.apache.flink.api.common.functions.{OpenContext, RichFlatMapFunction, RichMapFunction}
import org.apache.flink.api.common.state._
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.KeyedProcessFunction
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink
import org.apache.flink.util.Collector

case class Reading(sensor: JLong, value: JDouble)

/** State in lazy vals, one of them made with a descriptor of the companion. */
class Smooth(window: Int = 5) extends KeyedProcessFunction[JLong, Reading, Reading] {
  private lazy val last: ValueState[JDouble] =
    getRuntimeContext.getState(new ValueStateDescriptor("last", classOf[JDouble]))
  private lazy val recent: ListState[JDouble] = getRuntimeContext.getListState(Smooth.Recent)

  override def processElement(
      r: Reading, ctx: KeyedProcessFunction[JLong, Reading, Reading]#Context, out: Collector[Reading]): Unit = {
    last.update(r.value)
    recent.add(r.value)
    out.collect(r.copy(value = r.value / window))
  }
}

object Smooth {
  val Recent = new ListStateDescriptor[JDouble]("recent", classOf[JDouble])
  val Unused = new ListStateDescriptor[JDouble]("unused", classOf[JDouble])
}

/** What a function that mixes this in registers is decided by constructor arguments. */
trait Counting { self: RichFlatMapFunction[_, _] =>
  def counterName: String
  @transient protected var counter: ValueState[JLong] = _
  protected def openCounter(): Unit =
    counter = getRuntimeContext.getState(new ValueStateDescriptor(counterName, classOf[JLong]))
}

class CountEach(val counterName: String) extends RichFlatMapFunction[Reading, Reading] with Counting {
  override def open(context: OpenContext): Unit = openCounter()
  override def flatMap(r: Reading, out: Collector[Reading]): Unit = out.collect(r)
}

/** The context is asked for a metric, which is no state. */
class Metered extends RichMapFunction[Reading, Reading] {
  @transient private lazy val seen = getRuntimeContext.getMetricGroup.counter("seen")
  override def map(r: Reading): Reading = { seen.inc(); r }
}

object Sensors {
  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    val readings = env.fromSequence(1, 100).uid("numbers")
      .map(n => Reading(n % 7, n.doubleValue)).returns(classOf[Reading]).uid("readings")
    readings
      .filter(_.value > 3).uid("filter")
      .keyBy((r: Reading) => r.sensor)
      .process(new Smooth()).uid("smooth")
      .keyBy((r: Reading) => r.sensor)
      .flatMap(new CountEach("readings-seen")).uid("count")
      .map(new Metered).uid("metered")
      .sinkTo(new DiscardingSink[Reading]).uid("out")
    env.execute("sensors")
  }
}
