package jobs;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.*;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
public class Orders {
  static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<List<Map<String, Tuple2<Long, List<Object>>>>> last;
    @Override public void open(Configuration c) {
      last = getRuntimeContext().getState(new ValueStateDescriptor<>("last",
          TypeInformation.of(new TypeHint<List<Map<String, Tuple2<Long, List<Object>>>>>() {})));
    }
    @Override public void processElement(String x, Context c, Collector<String> out) { out.collect(x); }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> d = env.socketTextStream("h", 1).uid("source");
    d.keyBy(x -> x).process(new Keep()).uid("keep").print().uid("out");
    env.execute();
  }
}
