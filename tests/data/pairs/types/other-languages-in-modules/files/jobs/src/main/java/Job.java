import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.base.*;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.cep.*;
import org.apache.flink.cep.pattern.*;
import org.apache.flink.cep.pattern.conditions.*;
import org.apache.flink.configuration.*;
import org.apache.flink.connector.base.sink.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;

public class Job {
  public static class Acc { public long sum; public String note; public Acc() {} }
  public static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Acc> kept;
    @Override public void open(Configuration c) {
      kept = getRuntimeContext().getState(new ValueStateDescriptor<>("acc", Acc.class));
    }
    @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {
      kept.update(new Acc());
    }
  }
  public static class Pass extends RichMapFunction<String, String> implements CheckpointedFunction {
    private transient ListState<Long> kept;
    public String map(String x) { return x; }
    public void initializeState(FunctionInitializationContext c) throws Exception {
      kept = c.getOperatorStateStore().getListState(new ListStateDescriptor<>("offsets", Long.class));
    }
    public void snapshotState(FunctionSnapshotContext c) throws Exception { kept.update(Arrays.asList(1L)); }
  }
  static class Never extends SimpleCondition<String> { public boolean filter(String x) { return false; } }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    
    DataStream<String> s = env.socketTextStream("h", 1).uid("source").map(new Pass()).uid("pass");
    s.keyBy(x -> x).process(new Keep()).uid("keep").print().uid("out");
    Pattern<String, ?> p = Pattern.<String>begin("a").followedBy("b").where(new Never()).followedBy("c");
    CEP.pattern(s.keyBy(x -> x), p).inProcessingTime().select(m -> "x", Types.STRING).uid("cep").print().uid("o2");
    env.execute();
  }
}
