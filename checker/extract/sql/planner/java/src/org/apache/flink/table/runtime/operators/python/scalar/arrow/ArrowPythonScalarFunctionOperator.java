package org.apache.flink.table.runtime.operators.python.scalar.arrow;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class ArrowPythonScalarFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public ArrowPythonScalarFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType i, RowType in, RowType out, GeneratedProjection p, GeneratedProjection q) {}

  /** As Flink 1.14 calls it. */
  public ArrowPythonScalarFunctionOperator(
      Configuration c, PythonFunctionInfo[] f, RowType in, RowType out, int[] arguments, int[] forwarded) {}
}
