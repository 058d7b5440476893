package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Job {
  static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(Job.class);
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String name = "count";
    env.socketTextStream("h", 1).uid("source").keyBy(x -> Keys.of(x)).process(new Count()).uid(name).print();
    LOG.info("starts");
    env.execute();
  }
}
