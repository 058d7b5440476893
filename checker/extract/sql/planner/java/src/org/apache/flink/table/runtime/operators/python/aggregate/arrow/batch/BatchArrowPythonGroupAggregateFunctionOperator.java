package org.apache.flink.table.runtime.operators.python.aggregate.arrow.batch;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class BatchArrowPythonGroupAggregateFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public BatchArrowPythonGroupAggregateFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType input, RowType functionInput, RowType functionOutput,
      GeneratedProjection p, GeneratedProjection q, GeneratedProjection r) {}
}
