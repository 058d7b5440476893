package jobs;
import org.apache.flink.api.common.state.ValueStateDescriptor;
final class Stores {
  static Store named(String name) { return context -> context.getState(new ValueStateDescriptor<>("of-" + name, Long.class)); }
}
