package jobs
import jobs.steps._
object Clicks extends App {
  val env = org.apache.flink.streaming.api.scala.StreamExecutionEnvironment.getExecutionEnvironment
  env.fromSequence(0, 9).keyBy(x => x).process(new Dedup).print()
  env.execute()
}
