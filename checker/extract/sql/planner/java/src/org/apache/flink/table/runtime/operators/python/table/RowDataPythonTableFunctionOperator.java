package org.apache.flink.table.runtime.operators.python.table;

import checker.PythonOperator;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.functions.python.PythonFunctionInfo;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.types.logical.RowType;

/** Stands in for the operator of this name of PyFlink 1.13, whose constructor the planner looks for. */
public final class RowDataPythonTableFunctionOperator extends PythonOperator {
  private static final long serialVersionUID = 1L;

  public RowDataPythonTableFunctionOperator(
      Configuration c, PythonFunctionInfo f, RowType in, RowType out, int[] arguments, FlinkJoinType join) {}
}
