package com.harbor;
import java.util.*;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.util.Collector;
public class Buffer extends RichFlatMapFunction<Call, Call> implements CheckpointedFunction {
    private transient ListState<Call> kept;
    private final List<Call> pending = new ArrayList<>();
    @Override public void flatMap(Call c, Collector<Call> out) {
        pending.add(c);
        if (pending.size() > 10) { for (Call p : pending) out.collect(p); pending.clear(); }
    }
    @Override public void snapshotState(FunctionSnapshotContext ctx) throws Exception {
        kept.update(pending);
    }
    @Override public void initializeState(FunctionInitializationContext ctx) throws Exception {
        kept = ctx.getOperatorStateStore().getListState(new ListStateDescriptor<>("pending-calls", Call.class));
        if (ctx.isRestored()) { for (Call c : kept.get()) pending.add(c); }
        ListState<Long> marks = ctx.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("marks", Long.class));
        long top = 0;
        for (Long m : marks.get()) top = Math.max(top, m);
        marks.add(top + 1);
    }
}
