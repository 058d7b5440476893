package eu.grid.job;
import eu.grid.core.*;
import java.time.Duration;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
final class States {
    static final String WINDOW;
    private static final String SCOPE = "grid";
    static { WINDOW = name("window"); }
    static final MapStateDescriptor<String, Rule> RULES = new MapStateDescriptor<>("rules", Types.STRING, Types.POJO(Rule.class));
    static String name(String part) { return SCOPE + "." + part; }
    static MapStateDescriptor<Tariff, Double> byTariff(Duration keep) {
        MapStateDescriptor<Tariff, Double> d = new MapStateDescriptor<>(name("by-tariff"), Tariff.class, Double.class);
        d.enableTimeToLive(StateTtlConfig.newBuilder(keep).cleanupIncrementally(10, true).build());
        return d;
    }
}
