import org.apache.flink.datastream.api.ExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    ExecutionEnvironment env = ExecutionEnvironment.getInstance();
    env.execute("a");
  }
}
