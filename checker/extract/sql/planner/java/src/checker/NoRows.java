package checker;

import java.util.Collection;
import java.util.Collections;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.LookupFunction;

/** The lookup of a table whose connector is absent: it finds nothing. */
public final class NoRows extends LookupFunction {
  private static final long serialVersionUID = 1L;

  @Override
  public Collection<RowData> lookup(RowData key) {
    return Collections.emptyList();
  }
}
