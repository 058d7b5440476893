package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.util.Collector;
public class Batch extends RichFlatMapFunction<String, String> implements CheckpointedFunction {
  private final List<String> pending = new ArrayList<>();
  private transient ListState<String> saved;
  @Override public void flatMap(String x, Collector<String> out) { pending.add(x); }
  @Override public void snapshotState(FunctionSnapshotContext context) throws Exception {
    saved.update(pending);
  }
  @Override public void initializeState(FunctionInitializationContext context) throws Exception {
    saved = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("saved", String.class));
    for (String x : saved.get()) pending.add(x);
  }
}
