package jobs;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Words {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KeyedStream<String, String> words = env.socketTextStream("h", 1).uid("source").keyBy(x -> x);
    words.process(new Range()).uid("range").print();
    words.process(new Registry()).uid("registry").print();
    words.process(new Temporary()).uid("temporary").print();
    words.process(new Routing().on(Kind.LONG, new Tally("l")).on(Kind.SHORT, new Tally("s"))).uid("routing").print();
    env.execute();
  }
}
