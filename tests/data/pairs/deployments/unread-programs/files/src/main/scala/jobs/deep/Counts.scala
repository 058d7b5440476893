package jobs.deep

object Counts extends App {
  val env = org.apache.flink.streaming.api.scala.StreamExecutionEnvironment.getExecutionEnvironment
  env.fromSequence(0, 9).keyBy(x => x).process(new Rates).print()
  env.execute()
}
