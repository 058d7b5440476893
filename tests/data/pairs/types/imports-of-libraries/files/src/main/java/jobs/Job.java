package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var feed = env.addSource(Feeds.made()).uid("s");
    AsyncDataStream.unorderedWait(feed, new com.lib.Asks(), 5, null).uid("asks").print();
    env.execute();
  }
}
