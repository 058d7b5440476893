package tallies

import java.lang.{Long => JLong}
import org.apache.flink.api.common.state._
import org.apache.flink.runtime.state.{FunctionInitializationContext, FunctionSnapshotContext}
import org.apache.flink.api.common.functions.{MapFunction, RichMapFunction}
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink

/** Keeps what it has not sent yet as operator state. */
abstract class Buffering(name: String) extends MapFunction[JLong, JLong] with CheckpointedFunction {
  @transient private var pending: ListState[JLong] = _
  override def snapshotState(context: FunctionSnapshotContext): Unit = pending.clear()
  override def initializeState(context: FunctionInitializationContext): Unit =
    pending = context.getOperatorStateStore.getListState(new ListStateDescriptor(name, classOf[JLong]))
}

/** The names are known only when the list is gone through: states there are, but which is open. */
class PerRegion extends RichMapFunction[JLong, JLong] {
  private lazy val tallies: Map[String, ValueState[JLong]] = List("north", "south")
    .map(region => region -> getRuntimeContext.getState(new ValueStateDescriptor("tally-" + region, classOf[JLong])))
    .toMap
  override def map(n: JLong): JLong = { tallies.values.foreach(_.update(n)); n }
}

/** An object with the program as its body. */
object Tallies extends App {
  private def keyed(divisor: Long = 3): JLong => JLong = n => n % divisor

  private val env = StreamExecutionEnvironment.getExecutionEnvironment
  private val byKey = keyed()
  env.fromSequence(1, 100).uid("numbers")
    .map(new Buffering("pending") { override def map(n: JLong): JLong = n + 1 }).uid("buffer")
    .keyBy((n: JLong) => JLong.valueOf(n % 3))
    .map(new PerRegion).uid("regions")
    .keyBy((n: JLong) => JLong.valueOf(n % 3))
    .reduce((a: JLong, b: JLong) => a + b).uid("sum")
    .sinkTo(new DiscardingSink[JLong]).uid("out")
  env.execute("tallies")
}
