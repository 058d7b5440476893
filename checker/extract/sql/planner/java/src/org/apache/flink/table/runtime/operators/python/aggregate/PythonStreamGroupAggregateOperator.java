package org.apache.flink.table.runtime.operators.python.aggregate;

import checker.PythonAggregation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonAggregateFunctionInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class PythonStreamGroupAggregateOperator extends PythonAggregation {
  private static final long serialVersionUID = 1L;
  private final DataViewSpec[][] views;
  private final boolean cleans;

  public PythonStreamGroupAggregateOperator(
      Configuration c, RowType in, RowType out, PythonAggregateFunctionInfo[] f, DataViewSpec[][] views, int[] grouping,
      int counted, boolean retract, boolean updates, long minRetention, long maxRetention) {
    super(f);
    this.views = views;
    this.cleans = minRetention > 1;
  }

  @Override
  public void open() throws Exception {
    super.open();
    keepAccumulators(views, cleans);
  }
}
