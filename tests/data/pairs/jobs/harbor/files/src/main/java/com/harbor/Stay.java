package com.harbor;
import java.time.Duration;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Stay extends KeyedProcessFunction<String, Call, Call> {
    static final int HOURS = 48;
    private final int days;
    private transient ValueState<Call> last;
    private transient MapState<String, Integer> visits;
    private transient ListState<Long> times;
    public Stay(int days) { this.days = days; }
    private static StateTtlConfig ttl(Duration length) {
        return StateTtlConfig.newBuilder(length).setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite).cleanupFullSnapshot().build();
    }
    @Override public void open(OpenContext c) {
        ValueStateDescriptor<Call> d = new ValueStateDescriptor<>("last", Call.class);
        d.enableTimeToLive(ttl(Duration.ofHours(HOURS)));
        last = getRuntimeContext().getState(d);
        MapStateDescriptor<String, Integer> v = new MapStateDescriptor<>("visits", String.class, Integer.class);
        v.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(days)).build());
        visits = getRuntimeContext().getMapState(v);
        ListStateDescriptor<Long> t = new ListStateDescriptor<>("times", Long.class);
        StateTtlConfig plain = StateTtlConfig.newBuilder(Duration.ofMinutes(90)).setStateVisibility(StateTtlConfig.StateVisibility.NeverReturnExpired).build();
        t.enableTimeToLive(plain);
        times = getRuntimeContext().getListState(t);
    }
    @Override public void processElement(Call c, Context ctx, Collector<Call> out) throws Exception {
        Call before = last.value();
        last.update(c);
        Integer n = visits.get(c.port);
        visits.put(c.port, n == null ? 1 : n + 1);
        times.add(c.at);
        for (Long t : times.get()) if (t > c.at) return;
        if (before != null) out.collect(c);
    }
}
