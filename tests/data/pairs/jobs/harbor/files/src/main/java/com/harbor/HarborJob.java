package com.harbor;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;
public class HarborJob {
    private static final MapFunction<Call, Call> TIDY = c -> { c.setPort(c.getPort().trim()); return c; };
    private static MapFunction<Call, Call> upper() { return c -> { c.setPort(c.getPort().toUpperCase()); return c; }; }
    private static SingleOutputStreamOperator<Call> mapped(DataStream<Call> s, MapFunction<Call, Call> f, String uid) {
        return s.map(f).returns(Call.class).uid(uid);
    }
    private static SingleOutputStreamOperator<Call> tagged(DataStream<Call> s, String tag) {
        return s.map(c -> { c.setRegion(tag + c.getRegion()); return c; }).returns(Call.class).uid("tagged");
    }
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(4);
        env.setMaxParallelism(128);
        KafkaSource<Call> source = KafkaSource.<Call>builder().setBootstrapServers("k:9092").setTopics("calls").setGroupId("g")
            .setValueOnlyDeserializer(new CallSchema("none")).build();
        DataStream<Call> calls = env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "calls").uid("calls");
        MapFunction<Call, Call> clean = c -> { c.setImo(c.getImo().trim()); return c; };
        DataStream<Call> cleaned = calls.map(clean).returns(Call.class).uid("clean");
        DataStream<Call> tidied = mapped(cleaned.map(TIDY).uid("tidy"), upper(), "upper");
        String area = Names.Area.NORTH.code();
        DataStream<Call> located = mapped(tidied, c -> { c.setRegion(area + Names.SEP + c.getPort() + Names.suffix); return c; }, "located");
        DataStream<Call> cut = located.map(new LeftCut()).uid("cut");
        DataStream<Call> buffered = cut.flatMap(new Buffer()).uid("buffer");
        DataStream<Call> stays = buffered.keyBy(c -> c.imo).process(new Stay(3)).uid("stay");
        tagged(stays, "eu").keyBy(Call::getRegion).process(new KeyedProcessFunction<String, Call, Tuple2<String, Long>>() {
            private transient ValueState<Long> total;
            private transient ValueState<Long> peak;
            @Override public void open(OpenContext c) {
                total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Long.class));
                peak = getRuntimeContext().getState(new ValueStateDescriptor<>("peak", Long.class));
            }
            @Override public void processElement(Call c, Context ctx, Collector<Tuple2<String, Long>> out) throws Exception {
                Long now = total.value();
                total.update((now == null ? 0 : now) + c.teu);
                Long top = peak.value();
                peak.update(Math.max(top == null ? 0 : top, c.teu));
                out.collect(Tuple2.of(ctx.getCurrentKey(), total.value()));
            }
        }).uid("regions").print().uid("out");
        buffered.map(new MapFunction<Call, Tuple2<String, Integer>>() {
            @Override public Tuple2<String, Integer> map(Call c) { return Tuple2.of(c.port + "!", c.teu); }
        }).uid("pairs").keyBy(t -> t.f0).window(TumblingEventTimeWindows.of(Duration.ofMinutes(10))).sum(1).uid("sums").print().uid("sums-out");
        buffered.map(c -> c.getPort()).uid("ports").keyBy(p -> p).reduce((a, b) -> b).uid("last-port").print().uid("ports-out");
        buffered.map(c -> Tuple2.of(c.port, 1)).returns(Types.TUPLE(Types.STRING, Types.INT)).uid("a").keyBy(t -> t.f0).sum(1).uid("a-sum").print().uid("a-out");
        buffered.map(c -> Tuple2.of(c.imo, 1)).returns(Types.TUPLE(Types.STRING, Types.INT)).uid("b").keyBy(t -> t.f0).sum(1).uid("b-sum").print().uid("b-out");
        buffered.map(c -> Tuple2.of(c.imo, 2)).returns(Types.TUPLE(Types.STRING, Types.INT)).uid("d").keyBy(t -> t.f0).sum(1).uid("d-sum").print().uid("d-out");
        env.execute("harbor");
    }
}
