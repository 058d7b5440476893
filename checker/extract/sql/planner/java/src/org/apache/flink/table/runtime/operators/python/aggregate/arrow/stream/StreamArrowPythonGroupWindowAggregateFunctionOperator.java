package org.apache.flink.table.runtime.operators.python.aggregate.arrow.stream;

import checker.PythonWindowAggregation;
import java.time.ZoneId;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.GroupWindowAssigner;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.Trigger;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class StreamArrowPythonGroupWindowAggregateFunctionOperator extends PythonWindowAggregation {
  private static final long serialVersionUID = 1L;
  private final RowType input;
  private final GroupWindowAssigner<?> windows;

  public StreamArrowPythonGroupWindowAggregateFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType input, RowType functionInput, RowType functionOutput, int time,
      GroupWindowAssigner<?> windows, Trigger<?> trigger, long lateness, NamedWindowProperty[] properties, ZoneId zone,
      GeneratedProjection p) {
    super(f);
    this.input = input;
    this.windows = windows;
  }

  @Override
  public void open() throws Exception {
    super.open();
    keepRowsOfWindows(input, windows);
  }
}
