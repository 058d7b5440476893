package acme;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Reading> readings = env.addSource(new Meters()).uid("meters");
    new Cleaning("c").process(readings).keyBy(r -> r.key()).process(new Last()).uid("last").print().uid("out");
    env.execute();
  }
}
