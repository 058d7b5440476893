package jobs
import jobs.steps.Dedup
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
fun main() {
  val env = StreamExecutionEnvironment.getExecutionEnvironment()
  val conf = load("rules.yaml")
  env.fromSequence(0, 9).keyBy { it }.process(Dedup(conf)).counted().print()
  env.execute()
}
