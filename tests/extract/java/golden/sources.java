package golden;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

class SequenceToPrint {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 100).print();
        env.execute("sequence");
    }
}

class GeneratedEvents {
    private static final int RATE = 10;

    public static void main(String[] args) throws Exception {
        final StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        GeneratorFunction<Long, String> generator = index -> "event-" + index;
        DataGeneratorSource<String> source =
                new DataGeneratorSource<>(generator, 1000L, RateLimiterStrategy.perSecond(RATE), Types.STRING);
        DataStreamSource<String> stream = env.fromSource(source, WatermarkStrategy.noWatermarks(), "Generated");
        stream.uid("events").setParallelism(2);
        stream.map(String::length).returns(Types.INT).name("length").print().name("out");
        env.execute();
    }
}

class LinesOfFiles {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        FileSource<String> files =
                FileSource.forRecordStreamFormat(new TextLineInputFormat(), new Path("/data/in"))
                        .monitorContinuously(Duration.ofSeconds(1))
                        .build();
        WatermarkStrategy<String> strategy =
                WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofSeconds(5))
                        .withTimestampAssigner((SerializableTimestampAssigner<String>) (line, old) -> line.length());
        env.fromSource(files, strategy, "files").keyBy(line -> line.charAt(0)).max(0).print();
        env.execute();
    }
}

class HybridInput {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        HybridSource<Long> source =
                HybridSource.builder(new NumberSequenceSource(1, 10)).addSource(new NumberSequenceSource(11, 20)).build();
        env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "hybrid", Types.LONG).map(x -> x * 2).print();
        env.execute();
    }
}

class Literals {
    private static final List<String> WORDS = Arrays.asList("a", "b", "c");

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> first = env.fromData("x", "y");
        DataStream<String> second = env.fromData(WORDS);
        DataStream<String> all = first.union(second);
        all.map(new MapFunction<String, Integer>() {
                    @Override
                    public Integer map(String value) {
                        return value.length();
                    }
                })
                .print("words");
        env.execute();
    }
}

class TwoSourcesInOrder {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> b = env.fromSequence(1, 2).name("b");
        DataStream<Long> a = env.fromSequence(3, 4).name("a").uid("a-source");
        DataStream<Long> unused = env.fromSequence(5, 6);
        a.union(b).filter(x -> x > 1).print();
        env.execute();
    }
}

class WatermarksLater {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 9)
                .setParallelism(3)
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Long>forMonotonousTimestamps())
                .map(x -> x + 1)
                .print();
        env.execute();
    }
}
