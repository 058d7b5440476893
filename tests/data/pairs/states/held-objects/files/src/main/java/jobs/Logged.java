package jobs;
import org.apache.flink.streaming.api.windowing.triggers.*;
import org.apache.flink.streaming.api.windowing.windows.*;
public class Logged<T, W extends Window> extends Trigger<T, W> {
  private final Trigger<T, W> inner;
  Logged(Trigger<T, W> inner) { this.inner = inner; }
  @Override public TriggerResult onElement(T e, long t, W w, TriggerContext c) throws Exception { return inner.onElement(e, t, w, c); }
  @Override public TriggerResult onProcessingTime(long t, W w, TriggerContext c) throws Exception { return inner.onProcessingTime(t, w, c); }
  @Override public TriggerResult onEventTime(long t, W w, TriggerContext c) throws Exception { return inner.onEventTime(t, w, c); }
  @Override public void clear(W w, TriggerContext c) throws Exception { inner.clear(w, c); }
}
