package jobs;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Words {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KeyedStream<String, String> words = env.socketTextStream("h", 1).uid("source").keyBy(x -> x);
    words.process(new Computed()).uid("computed").print();
    env.execute();
  }
}
