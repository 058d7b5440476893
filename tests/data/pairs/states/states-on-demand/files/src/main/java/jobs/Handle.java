package jobs;
import java.util.function.Supplier;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
final class Handle<T> {
  private final Supplier<ValueState<T>> made;
  private ValueState<T> state;
  private Handle(Supplier<ValueState<T>> made) { this.made = made; }
  static <T> Handle<T> of(RuntimeContext context, String name, Class<T> type) {
    return new Handle<>(() -> context.getState(new ValueStateDescriptor<>(name, type)));
  }
  private ValueState<T> state() {
    if (state == null) state = made.get();
    return state;
  }
  T get() throws Exception { return state().value(); }
  void set(T value) throws Exception { state().update(value); }
}
