import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A loop, which exists in Flink 1.x only. */
public class Iterations {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    IterativeStream<Long> loop = env.fromSequence(1, 9).map(x -> x).iterate();
    DataStream<Long> body = loop.map(x -> x + 1).name("Body");
    loop.closeWith(body.rebalance());
    body.print();
    env.execute("loop");
  }
}
