package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
public interface Store extends java.io.Serializable { ValueState<Long> of(RuntimeContext context); }
