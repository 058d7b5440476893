package jobs;
import java.io.*;
import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Properties p = new Properties();
    String stage = System.getenv("STAGE");
    try (Reader in = new InputStreamReader(Orders.class.getClassLoader().getResourceAsStream("job.properties"), "UTF-8")) {
      p = acme.Loader.load("job.properties");
    }
    env.socketTextStream(p.getProperty("host"), 1).uid("source").map(new Trim()).keyBy(x -> x)
        .reduce((x, y) -> y).uid("orders").print();
    env.execute();
  }
}
