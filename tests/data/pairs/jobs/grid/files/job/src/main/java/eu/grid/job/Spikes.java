package eu.grid.job;
import eu.grid.core.*;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.util.*;
public class Spikes extends Remember<String, Sample, Sample> {
    public static final OutputTag<Sample> LATE = new OutputTag<>("late") {};
    private final Duration keep;
    private transient MapState<Tariff, Double> byTariff;
    private transient ListState<Sample> window;
    private transient ReducingState<Double> peak;
    public Spikes(Duration keep) { super(Sample.class); this.keep = keep; }
    @Override public void open(OpenContext c) throws Exception {
        super.open(c);
        byTariff = getRuntimeContext().getMapState(States.byTariff(keep));
        window = getRuntimeContext().getListState(new ListStateDescriptor<>(States.WINDOW, Sample.class));
        peak = getRuntimeContext().getReducingState(new ReducingStateDescriptor<>(States.name("peak"), Math::max, Double.class));
    }
    @Override public void processElement(Sample s, Context ctx, Collector<Sample> out) throws Exception {
        Sample before = previous(s);
        if (before != null && before.at > s.at) { ctx.output(LATE, s); return; }
        Double sum = byTariff.get(s.tariff);
        byTariff.put(s.tariff, (sum == null ? 0 : sum) + s.kwh);
        window.add(s);
        peak.add(s.kwh);
        ctx.timerService().registerEventTimeTimer(s.at + 3_600_000);
        if (peak.get() > 9) out.collect(s);
    }
    @Override public void onTimer(long at, OnTimerContext ctx, Collector<Sample> out) throws Exception {
        for (Sample s : window.get()) out.collect(s);
        window.clear();
    }
}
