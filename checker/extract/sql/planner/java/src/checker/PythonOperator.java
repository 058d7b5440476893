package checker;

import java.lang.reflect.Field;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/** What calls functions in Python, without Python: it keeps no state, chains as PyFlink's does, and drops its input. */
public class PythonOperator extends AbstractStreamOperator<RowData> implements OneInputStreamOperator<RowData, RowData> {
  private static final long serialVersionUID = 1L;

  protected PythonOperator() {
    try {
      Field strategy = AbstractStreamOperator.class.getDeclaredField("chainingStrategy");
      strategy.setAccessible(true);
      strategy.set(this, ChainingStrategy.ALWAYS);
    } catch (ReflectiveOperationException e) {
      // From 2.0 on an operator's factory alone says how it chains.
    }
  }

  @Override
  public void processElement(StreamRecord<RowData> element) {}
}
