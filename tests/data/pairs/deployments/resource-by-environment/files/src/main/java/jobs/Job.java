package jobs;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    int parallelism = Integer.parseInt(Settings.get("parallelism"));
    env.fromSequence(1, 9).setParallelism(parallelism).uid("numbers")
        .keyBy(n -> n % 3).reduce((a, b) -> a + b).setParallelism(parallelism).uid(Settings.get("uid"))
        .map(n -> "" + n).setParallelism(parallelism).print();
    env.execute();
  }
}
