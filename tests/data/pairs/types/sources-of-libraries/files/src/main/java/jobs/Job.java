package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

import com.ververica.cdc.connectors.mysql.MySQLSource;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SourceFunction<String> source = MySQLSource.<String>builder().deserializer(new com.lib.Texts()).build();
    DataStream<String> texts = env.addSource(source);
    texts.map(new Parse()).uid("p").print().uid("sink");
    env.execute();
  }
}
