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
public class Units extends org.apache.flink.api.common.functions.RichMapFunction<String, String> {
  private transient ValueState<Unit> unit;
  @Override public void open(org.apache.flink.api.common.functions.OpenContext c) {
    unit = getRuntimeContext().getState(new ValueStateDescriptor<>("unit", Unit.class));
  }
  @Override public String map(String e) { return e; }
}
