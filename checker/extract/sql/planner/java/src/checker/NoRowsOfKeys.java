package checker;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.TableFunction;

/** The lookup of a table whose connector is absent, until Flink 1.15: it finds nothing. */
public final class NoRowsOfKeys extends TableFunction<RowData> {
  private static final long serialVersionUID = 1L;

  public void eval(Object... keys) {}
}
