package eu.grid.job;
import eu.grid.core.*;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.cep.*;
import org.apache.flink.cep.pattern.*;
import org.apache.flink.cep.pattern.conditions.*;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.util.Collector;
public class GridJob {
    private final ParameterTool params;
    private final StreamExecutionEnvironment env;
    GridJob(ParameterTool params, StreamExecutionEnvironment env) { this.params = params; this.env = env; }
    public static void main(String[] args) throws Exception {
        ParameterTool params = ParameterTool.fromPropertiesFile(GridJob.class.getResourceAsStream("/grid.properties"));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(params.getInt("max.parallelism", 64));
        new GridJob(params, env).wire();
        env.execute("grid");
    }
    private String uid(String name) { return params.get("uid.prefix") + name; }
    private DataStream<String> lines(String topic) {
        KafkaSource<String> source = KafkaSource.<String>builder().setBootstrapServers(params.get("brokers")).setTopics(topic).setGroupId("grid").setValueOnlyDeserializer(new SimpleStringSchema()).build();
        return env.fromSource(source, WatermarkStrategy.noWatermarks(), topic).uid(uid(topic));
    }
    private static Sample parse(String line) {
        String[] c = line.split(",");
        Sample s = new Sample(c[0], c[1], Double.parseDouble(c[2]), Long.parseLong(c[3]));
        s.tariff = Tariff.valueOf(c[4]);
        return s;
    }
    private void wire() {
        SingleOutputStreamOperator<Sample> samples = lines("samples").map(GridJob::parse).uid(uid("parse"))
            .assignTimestampsAndWatermarks(WatermarkStrategy.<Sample>forBoundedOutOfOrderness(Duration.ofSeconds(5)).withTimestampAssigner((s, t) -> s.at)).uid(uid("wm"));
        DataStream<Sample> zoned = AsyncDataStream.orderedWait(samples, new Zones(params.get("zones")), 5, TimeUnit.SECONDS, 50).uid(uid("zones"));
        SingleOutputStreamOperator<Sample> spikes = zoned.keyBy(s -> s.meter).process(new Spikes(Duration.ofHours(params.getInt("keep.hours")))).uid(uid("spikes"));
        BroadcastStream<Rule> rules = lines("rules").map(l -> { Rule r = new Rule(); r.feeder = l.split(",")[0]; r.limit = 5; r.on = true; return r; }).uid(uid("rules-parse")).broadcast(States.RULES);
        spikes.keyBy(FeederKey::of).connect(rules).process(new RuleGate()).uid(uid("gate")).print().uid(uid("gate-out"));
        zoned.keyBy(s -> s.zone).window(EventTimeSessionWindows.withGap(Duration.ofMinutes(3))).aggregate(new Load()).uid(uid("load"))
            .keyBy(Load.Result::feeder).reduce((a, b) -> a.mean() > b.mean() ? a : b).uid(uid("top")).print().uid(uid("top-out"));
        spikes.getSideOutput(Spikes.LATE).keyBy(s -> s.feeder).countWindow(10).reduce((a, b) -> b).uid(uid("late")).print().uid(uid("late-out"));
        Pattern<Sample, ?> rise = Pattern.<Sample>begin("low").where(SimpleCondition.of(s -> s.kwh < 1)).next("high").where(SimpleCondition.of(s -> s.kwh > 9)).within(Duration.ofMinutes(5));
        CEP.pattern(zoned.keyBy(s -> s.feeder), rise).select(m -> m.get("high").get(0).meter).uid(uid("rise")).print().uid(uid("rise-out"));
        KeyedStream<Sample, String> left = zoned.keyBy(s -> s.feeder);
        left.intervalJoin(spikes.keyBy(s -> s.feeder)).between(Duration.ofSeconds(-5), Duration.ofSeconds(5)).process(new ProcessJoinFunction<Sample, Sample, String>() {
            @Override public void processElement(Sample a, Sample b, Context ctx, Collector<String> out) { out.collect(a.meter + b.meter); }
        }).uid(uid("pairs")).keyBy(p -> p).process(new Seen()).uid(uid("seen")).print().uid(uid("pairs-out"));
    }
}
