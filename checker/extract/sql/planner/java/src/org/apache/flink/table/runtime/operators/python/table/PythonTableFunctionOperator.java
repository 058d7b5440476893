package org.apache.flink.table.runtime.operators.python.table;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.generated.GeneratedProjection;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for PyFlink's operator of this name, whose constructor the planner looks for. */
public final class PythonTableFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public PythonTableFunctionOperator(
      Configuration c, PythonFunctionInfo f, RowType i, RowType in, RowType out, FlinkJoinType join, GeneratedProjection p) {}

  /** As Flink 1.14 calls it. */
  public PythonTableFunctionOperator(
      Configuration c, PythonFunctionInfo f, RowType in, RowType out, int[] arguments, FlinkJoinType join) {}
}
