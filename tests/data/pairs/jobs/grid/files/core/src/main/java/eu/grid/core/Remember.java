package eu.grid.core;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
public abstract class Remember<K, T, O> extends KeyedProcessFunction<K, T, O> {
    protected transient ValueState<T> remembered;
    private final Class<T> type;
    protected Remember(Class<T> type) { this.type = type; }
    protected String slot() { return "remembered"; }
    @Override public void open(OpenContext c) throws Exception {
        remembered = getRuntimeContext().getState(new ValueStateDescriptor<>(slot() + "-" + version(), type));
    }
    protected int version() { return 1; }
    protected T previous(T now) throws Exception { T before = remembered.value(); remembered.update(now); return before; }
}
