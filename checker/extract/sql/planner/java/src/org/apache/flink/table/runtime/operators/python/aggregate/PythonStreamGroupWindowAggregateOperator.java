package org.apache.flink.table.runtime.operators.python.aggregate;

import checker.PythonWindowAggregation;
import java.time.ZoneId;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonAggregateFunctionInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.runtime.groupwindow.NamedWindowProperty;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.GroupWindowAssigner;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose makers the planner looks for. */
public final class PythonStreamGroupWindowAggregateOperator extends PythonWindowAggregation {
  private static final long serialVersionUID = 1L;
  private final DataViewSpec[][] views;
  private final GroupWindowAssigner<?> windows;

  private PythonStreamGroupWindowAggregateOperator(
      PythonAggregateFunctionInfo[] f, DataViewSpec[][] views, GroupWindowAssigner<?> windows) {
    super(f);
    this.views = views;
    this.windows = windows;
  }

  @Override
  public void open() throws Exception {
    super.open();
    keepWindows(views, windows);
  }

  public static PythonStreamGroupWindowAggregateOperator createTumblingGroupWindowAggregateOperator(
      Configuration c, RowType in, RowType out, PythonAggregateFunctionInfo[] f, DataViewSpec[][] views, int[] grouping,
      int counted, boolean updates, boolean retract, int time, GroupWindowAssigner<?> windows, boolean rows,
      boolean event, long size, long lateness,
      NamedWindowProperty[] properties, ZoneId zone) {
    return new PythonStreamGroupWindowAggregateOperator(f, views, windows);
  }

  public static PythonStreamGroupWindowAggregateOperator createSlidingGroupWindowAggregateOperator(
      Configuration c, RowType in, RowType out, PythonAggregateFunctionInfo[] f, DataViewSpec[][] views, int[] grouping,
      int counted, boolean updates, boolean retract, int time, GroupWindowAssigner<?> windows, boolean rows,
      boolean event, long size, long slide, long lateness,
      NamedWindowProperty[] properties, ZoneId zone) {
    return new PythonStreamGroupWindowAggregateOperator(f, views, windows);
  }

  public static PythonStreamGroupWindowAggregateOperator createSessionGroupWindowAggregateOperator(
      Configuration c, RowType in, RowType out, PythonAggregateFunctionInfo[] f, DataViewSpec[][] views, int[] grouping,
      int counted, boolean updates, boolean retract, int time, GroupWindowAssigner<?> windows, boolean event,
      long gap, long lateness,
      NamedWindowProperty[] properties, ZoneId zone) {
    return new PythonStreamGroupWindowAggregateOperator(f, views, windows);
  }
}
