package org.apache.flink.table.runtime.operators.python.aggregate.arrow.batch;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class BatchArrowPythonOverWindowAggregateFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public BatchArrowPythonOverWindowAggregateFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType input, RowType functionInput, RowType functionOutput,
      long[] lower, long[] upper, boolean[] ranges, int[] windows, int time, boolean ascending,
      GeneratedProjection p, GeneratedProjection q, GeneratedProjection r) {}
}
