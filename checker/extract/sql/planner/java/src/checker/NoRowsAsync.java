package checker;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;

/** The asynchronous lookup of a table whose connector is absent: it finds nothing. */
public final class NoRowsAsync extends AsyncLookupFunction {
  private static final long serialVersionUID = 1L;

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData key) {
    return CompletableFuture.completedFuture(Collections.emptyList());
  }
}
