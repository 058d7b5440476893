package golden;

import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

class WordCount {
    static class Tokenizer implements FlatMapFunction<String, Tuple2<String, Integer>> {
        @Override
        public void flatMap(String line, Collector<Tuple2<String, Integer>> out) {
            for (String word : line.split(" ")) {
                out.collect(Tuple2.of(word, 1));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromData("to be or not to be")
                .flatMap(new Tokenizer())
                .keyBy(value -> value.f0)
                .sum(1)
                .print();
        env.execute("WordCount");
    }
}

class EveryOneInput {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SingleOutputStreamOperator<Long> mapped = env.fromSequence(1, 9).map(x -> x).returns(Types.LONG);
        mapped.filter((FilterFunction<Long>) x -> x % 2 == 0).name("even");
        mapped.flatMap((Long x, Collector<Long> out) -> out.collect(x)).returns(Types.LONG).uid("flat").print();
        DataStream<Tuple2<Long, Long>> pairs =
                mapped.map(x -> Tuple2.of(x, x)).returns(new org.apache.flink.api.common.typeinfo.TypeHint<>() {});
        pairs.project(1).print();
        env.execute();
    }
}

class Partitionings {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9);
        numbers.rebalance().map(x -> x).name("rebalanced").print();
        numbers.rescale().map(x -> x).name("rescaled").setParallelism(2).print().setParallelism(1);
        numbers.shuffle().map(x -> x).print();
        numbers.broadcast().map(x -> x).print();
        numbers.global().map(x -> x).setParallelism(1).print();
        numbers.forward().map(x -> x).print();
        numbers.partitionCustom((Partitioner<Long>) (key, n) -> (int) (key % n), x -> x).map(x -> x).print();
        env.execute();
    }
}

class SideOutputs {
    private static final OutputTag<String> LATE = new OutputTag<>("late") {};

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        final OutputTag<Long> odd = new OutputTag<Long>("odd", TypeInformation.of(Long.class));
        SingleOutputStreamOperator<Long> split =
                env.fromSequence(1, 9)
                        .process(
                                new ProcessFunction<Long, Long>() {
                                    @Override
                                    public void processElement(Long value, Context ctx, Collector<Long> out) {
                                        ctx.output(odd, value);
                                    }
                                })
                        .uid("split");
        split.getSideOutput(LATE).print();
        split.getSideOutput(odd).map(x -> -x).name("odd").print();
        split.print();
        env.execute();
    }
}

class AsyncEnrichment {
    static class Lookup extends RichAsyncFunction<Long, String> {
        @Override
        public void asyncInvoke(Long input, ResultFuture<String> result) {}
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> input = env.fromSequence(1, 9);
        AsyncFunction<Long, String> lookup = new Lookup();
        AsyncDataStream.unorderedWait(input, lookup, 1, TimeUnit.SECONDS, 100).uid("lookup").print();
        AsyncDataStream.orderedWait(input, new Lookup(), 1000, TimeUnit.MILLISECONDS).name("ordered").print();
        env.execute();
    }
}

class Diamond {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> head = env.fromSequence(1, 9).map(new Plus(1)).name("head");
        DataStream<Long> left = head.map(new Plus(2));
        DataStream<Long> right = head.filter(x -> x > 3);
        left.union(right, head).map(new Plus(3)).print();
        env.execute();
    }

    static class Plus extends RichMapFunction<Long, Long> {
        private final long what;

        Plus(long what) {
            this.what = what;
        }

        @Override
        public Long map(Long value) {
            return value + what;
        }
    }
}

class Reinterpreted {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9).map(x -> x);
        KeyedStream<Long, Long> keyed =
                DataStreamUtils.reinterpretAsKeyedStream(
                        numbers,
                        new KeySelector<Long, Long>() {
                            @Override
                            public Long getKey(Long value) {
                                return value % 3;
                            }
                        });
        keyed.reduce(Long::sum).print();
        env.execute();
    }
}

class KeyedTwice {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 9).keyBy(x -> x % 2).keyBy(x -> x % 3).map(x -> x).print();
        env.execute();
    }
}
