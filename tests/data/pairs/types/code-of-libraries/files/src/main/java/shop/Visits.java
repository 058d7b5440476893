package shop;

import com.acme.flink.*;
import com.acme.flink.Keys;
import com.acme.flink.Names;
import com.acme.flink.Page;
import com.acme.flink.Texts;
import java.time.Duration;
import java.util.*;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;

public class Visits {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> lines = env.socketTextStream("visits", 9000).uid("lines");
    lines.map(line -> Texts.upper(line)).uid("upper")
        .keyBy(line -> line.trim())
        .reduce((one, two) -> two)
        .uid("last").print().uid("out");
    env.execute();
  }
}
