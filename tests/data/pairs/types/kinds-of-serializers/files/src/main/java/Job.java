import java.time.*;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.api.java.typeutils.*;
import org.apache.flink.configuration.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;

public class Job {
  public enum Color { RED, GREEN }
  public static class Part { public String name; public int size; }
  public static class Held { public long count; }
  public static class ByKryo { private final long count; private String name; public ByKryo(long c) { count = c; } }
  public static class Other { private final long count; public Other(long c) { count = c; } }
  public static class Factory extends TypeInfoFactory<Part> {
    @Override public TypeInformation<Part> createTypeInfo(java.lang.reflect.Type t, Map<String, TypeInformation<?>> g) {
      return Types.GENERIC(Part.class);
    }
  }
  public static class Keep extends KeyedProcessFunction<String, String, String> {
    @Override public void open(OpenContext c) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("kept", Part.class));
    }
    @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {}
  }
  public static class Pass extends RichMapFunction<String, String> implements CheckpointedFunction {
    public String map(String x) { return x; }
    public void initializeState(FunctionInitializationContext c) throws Exception {
      c.getOperatorStateStore().getListState(new ListStateDescriptor<>("passed", Long.class));
      c.getOperatorStateStore().getBroadcastState(new MapStateDescriptor<>("rules", String.class, Long.class));
    }
    public void snapshotState(FunctionSnapshotContext c) throws Exception {}
  }
  public static void main(String[] args) throws Exception {
    Configuration settings = new Configuration();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    DataStream<String> s = env.fromSequence(1, 9).map(x -> "" + x).returns(Types.STRING).uid("source").map(new Pass()).uid("pass");
    s.keyBy(x -> x).process(new Keep()).uid("keep").print().uid("out");
    env.execute();
  }
}
