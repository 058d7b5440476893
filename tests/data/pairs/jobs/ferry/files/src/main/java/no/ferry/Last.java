package no.ferry;

import java.time.Duration;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

class Last extends KeyedProcessFunction<String, Crossing, Crossing> {
    private final StateTtlConfig ttl;
    private final long hours;
    private transient ValueState<Integer> most;
    private transient ValueState<Integer> last;

    Last(Duration keep, long hours) {
        this.ttl = StateTtlConfig.newBuilder(keep).setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite).build();
        this.hours = hours;
    }

    @Override
    public void open(Configuration parameters) {
        ValueStateDescriptor<Integer> kept = new ValueStateDescriptor<>("most", Integer.class);
        kept.enableTimeToLive(ttl);
        most = getRuntimeContext().getState(kept);
        ValueStateDescriptor<Integer> brief = new ValueStateDescriptor<>("last", Integer.class);
        brief.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(hours)).build());
        last = getRuntimeContext().getState(brief);
    }

    @Override
    public void processElement(Crossing value, Context context, Collector<Crossing> out) throws Exception {
        if (most.value() == null || most.value() < value.cars() || last.value() == null) {
            most.update(value.cars());
            out.collect(value);
        }
        last.update(value.cars());
    }
}
