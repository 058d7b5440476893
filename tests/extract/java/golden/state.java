package golden;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.ConnectedStreams;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoFlatMapFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

class KeyedCounter {
    static class Count extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(Long value, Context ctx, Collector<Long> out) throws Exception {
            ctx.timerService().registerEventTimeTimer(value);
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 9).uid("numbers").keyBy(x -> x % 3).process(new Count()).uid("count").print().uid("out");
        env.execute();
    }
}

class KeyedOperators {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KeyedStream<Long, Long> keyed = env.fromSequence(1, 9).keyBy(x -> x % 3);
        keyed.map(x -> x).print();
        keyed.filter(x -> x > 0).print();
        keyed.reduce((ReduceFunction<Long>) Long::sum).print();
        keyed.min(0).print();
        keyed.maxBy(0).print();
        keyed.process(
                        new KeyedProcessFunction<Long, Long, Long>() {
                            @Override
                            public void processElement(Long value, Context ctx, Collector<Long> out) {}
                        })
                .print();
        env.execute();
    }
}

class BroadcastRules {
    static final MapStateDescriptor<String, String> RULES =
            new MapStateDescriptor<>("rules", Types.STRING, Types.STRING);

    static class Apply extends KeyedBroadcastProcessFunction<Long, Long, String, String> {
        @Override
        public void processElement(Long value, ReadOnlyContext ctx, Collector<String> out) {}

        @Override
        public void processBroadcastElement(String rule, Context ctx, Collector<String> out) throws Exception {
            ctx.getBroadcastState(RULES).put(rule, rule);
        }
    }

    static class ApplyToAll extends BroadcastProcessFunction<Long, String, String> {
        @Override
        public void processElement(Long value, ReadOnlyContext ctx, Collector<String> out) {}

        @Override
        public void processBroadcastElement(String rule, Context ctx, Collector<String> out) {}
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> events = env.fromSequence(1, 9).uid("events");
        BroadcastStream<String> rules = env.fromData("a", "b").uid("rules").broadcast(RULES);
        events.keyBy(x -> x % 3).connect(rules).process(new Apply()).uid("apply").print();
        events.connect(rules).process(new ApplyToAll()).print();
        env.execute();
    }
}

class Connections {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> a = env.fromSequence(1, 9);
        DataStream<Long> b = env.fromSequence(1, 9).map(x -> x);
        ConnectedStreams<Long, Long> both = a.connect(b);
        both.map(
                        new CoMapFunction<Long, Long, Long>() {
                            @Override
                            public Long map1(Long x) {
                                return x;
                            }

                            @Override
                            public Long map2(Long x) {
                                return x;
                            }
                        })
                .print();
        both.flatMap(new Swap()).print();
        both.keyBy(x -> x % 2, x -> x % 2).process(new Join()).print();
        both.process(
                        new CoProcessFunction<Long, Long, Long>() {
                            @Override
                            public void processElement1(Long value, Context ctx, Collector<Long> out) {}

                            @Override
                            public void processElement2(Long value, Context ctx, Collector<Long> out) {}
                        })
                .uid("co")
                .print();
        env.execute();
    }

    private static final class Swap implements CoFlatMapFunction<Long, Long, Long> {
        @Override
        public void flatMap1(Long value, Collector<Long> out) {}

        @Override
        public void flatMap2(Long value, Collector<Long> out) {}
    }

    private static class Join extends KeyedCoProcessFunction<Long, Long, Long, Long> {
        @Override
        public void processElement1(Long value, Context ctx, Collector<Long> out) {}

        @Override
        public void processElement2(Long value, Context ctx, Collector<Long> out) {}
    }
}

class ProcessOnKeyed {
    static class Plain extends ProcessFunction<Long, Long> {
        @Override
        public void processElement(Long value, Context ctx, Collector<Long> out) {}
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 9).keyBy(x -> x).process(new Plain()).print();
        env.execute();
    }
}
