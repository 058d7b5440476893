import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.v2.*;
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
  public static class Keep extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Long> kept;
    @Override public void open(OpenContext c) throws Exception {
      kept = getRuntimeContext().getState(new ValueStateDescriptor<>("kept", Types.LONG));
    }
    @Override public void processElement(String x, Context ctx, Collector<String> out) throws Exception {}
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> s = env.socketTextStream("h", 1).uid("source");
    s.keyBy(x -> x).enableAsyncState().process(new Keep()).uid("keep").print().uid("out");
    env.execute();
  }
}
