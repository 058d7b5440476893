package jobs;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(1);
    env.socketTextStream("host", 1).map(line -> Visit.parse(line)).returns(Visit.class).uid("visits")
        .keyBy(visit -> visit.page).process(new Count()).uid("count").print();
    env.execute();
  }
}
