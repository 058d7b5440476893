package golden;

import java.time.Duration;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.datastream.WindowedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.ProcessingTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

class Average implements AggregateFunction<Long, Tuple2<Long, Long>, Double> {
    @Override
    public Tuple2<Long, Long> createAccumulator() {
        return Tuple2.of(0L, 0L);
    }

    @Override
    public Tuple2<Long, Long> add(Long value, Tuple2<Long, Long> sum) {
        return Tuple2.of(sum.f0 + value, sum.f1 + 1);
    }

    @Override
    public Double getResult(Tuple2<Long, Long> sum) {
        return (double) sum.f0 / sum.f1;
    }

    @Override
    public Tuple2<Long, Long> merge(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
        return a;
    }
}

class PerWindow extends ProcessWindowFunction<Long, String, Long, TimeWindow> {
    @Override
    public void process(Long key, Context context, Iterable<Long> values, Collector<String> out) {}
}

class PerWindowOfDoubles extends ProcessWindowFunction<Double, String, Long, TimeWindow> {
    @Override
    public void process(Long key, Context context, Iterable<Double> values, Collector<String> out) {}
}

class WindowKinds {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KeyedStream<Long, Long> keyed = env.fromSequence(1, 9).keyBy(x -> x % 3);
        ReduceFunction<Long> sum = Long::sum;
        keyed.window(TumblingEventTimeWindows.of(Duration.ofSeconds(5))).reduce(sum).print();
        keyed.window(TumblingProcessingTimeWindows.of(Duration.ofSeconds(5))).reduce(sum).print();
        keyed.window(SlidingEventTimeWindows.of(Duration.ofMinutes(5), Duration.ofMinutes(1))).sum(0).print();
        keyed.window(SlidingProcessingTimeWindows.of(Duration.ofMinutes(5), Duration.ofMinutes(1))).max(0).print();
        keyed.window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5))).reduce(sum).print();
        keyed.window(ProcessingTimeSessionWindows.withGap(Duration.ofSeconds(5))).reduce(sum).print();
        keyed.window(EventTimeSessionWindows.withDynamicGap(x -> 1000L)).reduce(sum).print();
        keyed.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(3))).reduce(sum).print();
        keyed.countWindow(5).reduce(sum).print();
        keyed.countWindow(5, 2).sum(0).print();
        env.execute();
    }
}

class WindowFunctions {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        WindowedStream<Long, Long, TimeWindow> windows =
                env.fromSequence(1, 9).keyBy(x -> x % 3).window(TumblingEventTimeWindows.of(Duration.ofSeconds(5)));
        windows.aggregate(new Average()).uid("average").print();
        windows.aggregate(new Average(), new PerWindowOfDoubles()).print();
        windows.reduce(Long::sum, new PerWindow()).name("reduced").print();
        windows.process(new PerWindow()).print();
        windows.apply(
                        new WindowFunction<Long, String, Long, TimeWindow>() {
                            @Override
                            public void apply(Long key, TimeWindow w, Iterable<Long> values, Collector<String> out) {}
                        })
                .print();
        env.execute();
    }
}

class LateData {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        OutputTag<Long> late = new OutputTag<Long>("late-data") {};
        SingleOutputStreamOperator<Long> sums =
                env.fromSequence(1, 9)
                        .keyBy(x -> x % 3)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(5)))
                        .allowedLateness(Duration.ofSeconds(1))
                        .sideOutputLateData(late)
                        .evictor(CountEvictor.of(3))
                        .reduce(Long::sum);
        sums.print();
        sums.getSideOutput(late).print();
        env.execute();
    }
}

class AllWindows {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9);
        numbers.windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(5))).reduce(Long::sum).print();
        numbers.countWindowAll(5).reduce(Long::sum).uid("counted").print();
        numbers.windowAll(TumblingProcessingTimeWindows.of(Duration.ofSeconds(5)))
                .process(
                        new ProcessAllWindowFunction<Long, Long, TimeWindow>() {
                            @Override
                            public void process(Context context, Iterable<Long> values, Collector<Long> out) {}
                        })
                .uid("all")
                .print()
                .setParallelism(1);
        env.execute();
    }
}

class AssignerFromMethod {
    private static WindowAssigner<Object, TimeWindow> assigner(boolean sliding) {
        if (sliding) {
            return SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(5));
        }
        return TumblingEventTimeWindows.of(Duration.ofSeconds(5));
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 9).keyBy(x -> x % 3).window(assigner(true)).aggregate(new Average()).print();
        env.execute();
    }
}
