package jobs;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
public class Every extends Trigger<String, GlobalWindow> {
  private final ValueStateDescriptor<Long> seen;
  Every(String name) { seen = new ValueStateDescriptor<>(name, Long.class); }
  @Override public TriggerResult onElement(String e, long t, GlobalWindow w, TriggerContext c) throws Exception { c.getPartitionedState(seen).update(t); return TriggerResult.FIRE; }
  @Override public TriggerResult onProcessingTime(long t, GlobalWindow w, TriggerContext c) { return TriggerResult.CONTINUE; }
  @Override public TriggerResult onEventTime(long t, GlobalWindow w, TriggerContext c) { return TriggerResult.CONTINUE; }
  @Override public void clear(GlobalWindow w, TriggerContext c) { c.getPartitionedState(seen).clear(); }
}
