package checker;

import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.runtime.dataview.ListViewSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * An aggregation by functions in Python, without Python. It registers at its start the states that PyFlink's operators
 * register there or, where Python asks for them, with the first record: values as bytes that Python alone understands.
 */
public abstract class PythonAggregation extends PythonOperator implements Triggerable<Object, Object> {
  private static final long serialVersionUID = 1L;

  /** The checker reads the types of their accumulators. */
  public final transient PythonFunctionInfo[] functions;

  protected PythonAggregation(PythonFunctionInfo[] functions) {
    this.functions = functions;
  }

  /** As {@code AbstractPythonStreamGroupAggregateOperator}. */
  protected void keepAccumulators(DataViewSpec[][] views, boolean cleans) throws Exception {
    timers("state-clean-timer", VoidNamespaceSerializer.INSTANCE);
    if (cleans) {
      getRuntimeContext().getState(new ValueStateDescriptor<>("PythonAggregateCleanupTime", Types.LONG));
    }
    keepBytes(VoidNamespaceSerializer.INSTANCE, "accumulators", views);
  }

  /** As {@code AbstractStreamArrowPythonOverWindowAggregateFunctionOperator}. */
  protected void keepRows(RowType input) throws Exception {
    timers("python-over-window-timers", VoidNamespaceSerializer.INSTANCE);
    for (String name : new String[] {"lastTriggeringTsState", "cleanupTsState"}) {
      getRuntimeContext().getState(new ValueStateDescriptor<>(name, Types.LONG));
    }
    ListTypeInfo<?> rows = new ListTypeInfo<>(InternalTypeInfo.of(input));
    getRuntimeContext().getMapState(new MapStateDescriptor<>("inputState", Types.LONG, rows));
  }

  @SuppressWarnings("unchecked")
  final void timers(String name, TypeSerializer<?> namespace) {
    getInternalTimerService(name, (TypeSerializer<Object>) namespace, this);
  }

  final void keepBytes(TypeSerializer<?> namespace, String name, DataViewSpec[][] views) throws Exception {
    keepList(namespace, name);
    for (DataViewSpec[] ofFunction : views) {
      for (DataViewSpec view : ofFunction) {
        if (!(view instanceof ListViewSpec)) {
          throw new UnsupportedOperationException("cannot tell what a function in Python keeps in a MapView");
        }
        keepList(namespace, view.getStateId());
      }
    }
  }

  private void keepList(TypeSerializer<?> namespace, String name) throws Exception {
    getOrCreateKeyedState(
        namespace, new ListStateDescriptor<>("python-state-" + name, BytePrimitiveArraySerializer.INSTANCE));
  }

  @Override
  public void onEventTime(InternalTimer<Object, Object> timer) {}

  @Override
  public void onProcessingTime(InternalTimer<Object, Object> timer) {}
}
