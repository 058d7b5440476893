import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A program whose JVM ends in order once its job was captured: it can write an archive of the classes that it loaded. */
public class Training {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).keyBy(x -> x % 3).reduce(Long::sum).uid("sum").map(x -> "" + x).print();
    env.execute("training");
    System.exit(0);
  }
}
