package eu.grid.job;
import eu.grid.core.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
public class RuleGate extends KeyedBroadcastProcessFunction<FeederKey, Sample, Rule, String> {
    private transient ValueState<Long> hits;
    @Override public void open(OpenContext c) { hits = getRuntimeContext().getState(new ValueStateDescriptor<>("hits", Long.class)); }
    @Override public void processElement(Sample s, ReadOnlyContext ctx, Collector<String> out) throws Exception {
        Rule r = ctx.getBroadcastState(States.RULES).get(s.feeder);
        if (r != null && r.on && s.kwh > r.limit) { Long n = hits.value(); hits.update(n == null ? 1 : n + 1); out.collect(s.feeder + hits.value()); }
    }
    @Override public void processBroadcastElement(Rule r, Context ctx, Collector<String> out) throws Exception { ctx.getBroadcastState(States.RULES).put(r.feeder, r); }
}
