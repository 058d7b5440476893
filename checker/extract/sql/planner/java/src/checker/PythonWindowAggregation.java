package checker;

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.GroupWindowAssigner;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/** An aggregation of windows by functions in Python. Until 1.18 Flink has these windows in another package. */
public abstract class PythonWindowAggregation extends PythonAggregation {
  private static final long serialVersionUID = 1L;

  protected PythonWindowAggregation(PythonFunctionInfo[] functions) {
    super(functions);
  }

  /** As {@code PythonStreamGroupWindowAggregateOperator}. */
  protected void keepWindows(DataViewSpec[][] views, GroupWindowAssigner<?> windows) throws Exception {
    keepBytes(timersOf(windows), "window_state", views);
  }

  /** As {@code StreamArrowPythonGroupWindowAggregateFunctionOperator}. */
  protected void keepRowsOfWindows(RowType input, GroupWindowAssigner<?> windows) throws Exception {
    TypeSerializer<?> window = timersOf(windows);
    for (String name : new String[] {"window-input", "data-retract"}) {
      getOrCreateKeyedState(window, new ListStateDescriptor<>(name, new RowDataSerializer(input)));
    }
  }

  private TypeSerializer<?> timersOf(GroupWindowAssigner<?> windows) {
    String name = windows.getClass().getSimpleName();
    if (!name.startsWith("Tumbling") && !name.startsWith("Sliding")) {
      throw new UnsupportedOperationException("cannot tell what a function in Python keeps for windows of " + name);
    }
    TypeSerializer<?> window = windows.getWindowSerializer(new ExecutionConfig());
    timers("window-timers", window);
    return window;
  }
}
