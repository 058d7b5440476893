package org.apache.flink.table.runtime.operators.python.scalar;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for the operator of this name of PyFlink 1.13, whose constructor the planner looks for. */
public final class RowDataPythonScalarFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public RowDataPythonScalarFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType in, RowType out, int[] arguments, int[] forwarded) {}
}
