package jobs;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.connector.sink2.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.core.io.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.getConfig().registerTypeWithKryoSerializer(Unit.class, UnitSerializer.class);
    DataStream<String> all = env.fromSource(new Numbers(), WatermarkStrategy.noWatermarks(), "numbers").uid("numbers");
    all.keyBy(e -> e).map(new Units()).uid("units").print();
    all.sinkTo(new Files()).uid("files");
    env.execute();
  }
}
