package golden;

import java.time.Duration;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.JoinFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.util.Collector;

class WindowJoin {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> orders = env.fromSequence(1, 9).name("orders").setParallelism(2);
        DataStream<Long> payments = env.fromSequence(1, 9).name("payments");
        orders.join(payments)
                .where(x -> x)
                .equalTo(x -> x)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(5)))
                .apply((JoinFunction<Long, Long, Long>) (a, b) -> a + b)
                .print();
        env.execute();
    }
}

class WindowCoGroup {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> a = env.fromSequence(1, 9).map(x -> x);
        DataStream<Long> b = env.fromSequence(1, 9).map(x -> x).rebalance();
        DataStream<Long> joined =
                a.coGroup(b)
                        .where(x -> x)
                        .equalTo(x -> x)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(5)))
                        .trigger(CountTrigger.of(2))
                        .apply(
                                new CoGroupFunction<Long, Long, Long>() {
                                    @Override
                                    public void coGroup(Iterable<Long> x, Iterable<Long> y, Collector<Long> out) {}
                                });
        joined.filter(x -> x > 0).print();
        env.execute();
    }
}

class IntervalJoined {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KeyedStream<Long, Long> a = env.fromSequence(1, 9).keyBy(x -> x);
        KeyedStream<Long, Long> b = env.fromSequence(1, 9).keyBy(x -> x);
        a.intervalJoin(b)
                .between(Duration.ofSeconds(-5), Duration.ofSeconds(5))
                .process(
                        new ProcessJoinFunction<Long, Long, Long>() {
                            @Override
                            public void processElement(Long x, Long y, Context ctx, Collector<Long> out) {}
                        })
                .uid("interval")
                .print();
        env.execute();
    }
}

class SelfUnion {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> a = env.fromSequence(1, 9);
        a.union(a).map(x -> x).print();
        env.execute();
    }
}
