package checker;

import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** An operator of a connector that keeps lists in operator state and is chained as an operator object is. */
public final class KeepsLists extends AbstractStreamOperator<Void> implements OneInputStreamOperator<Object, Void> {
  private static final long serialVersionUID = 1L;
  private final ListStateDescriptor<?>[] lists;
  private final ListStateDescriptor<?>[] unions;

  /** The unions are given to each subtask as a whole. */
  public KeepsLists(ListStateDescriptor<?>[] lists, ListStateDescriptor<?>[] unions) {
    this.lists = lists;
    this.unions = unions;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    for (ListStateDescriptor<?> list : lists) {
      context.getOperatorStateStore().getListState(list);
    }
    for (ListStateDescriptor<?> union : unions) {
      context.getOperatorStateStore().getUnionListState(union);
    }
  }

  @Override
  public void processElement(StreamRecord<Object> element) {}
}
