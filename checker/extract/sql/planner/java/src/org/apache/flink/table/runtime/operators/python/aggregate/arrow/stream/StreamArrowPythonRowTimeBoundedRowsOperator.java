package org.apache.flink.table.runtime.operators.python.aggregate.arrow.stream;

import checker.PythonAggregation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class StreamArrowPythonRowTimeBoundedRowsOperator extends PythonAggregation {
  private static final long serialVersionUID = 1L;
  private final RowType input;

  public StreamArrowPythonRowTimeBoundedRowsOperator(
      Configuration c, long retention, long maxRetention, PythonFunctionInfo[] f, RowType input, RowType functionInput,
      RowType functionOutput, int time, long bound, GeneratedProjection p) {
    super(f);
    this.input = input;
  }

  @Override
  public void open() throws Exception {
    super.open();
    keepRows(input);
  }
}
