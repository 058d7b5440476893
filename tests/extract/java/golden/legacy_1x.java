// flink: 1.
package golden;

import java.util.Arrays;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.functions.source.ParallelSourceFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.functions.timestamps.BoundedOutOfOrdernessTimestampExtractor;
import org.apache.flink.streaming.api.windowing.time.Time;

class Ticks implements SourceFunction<Long> {
    @Override
    public void run(SourceContext<Long> ctx) {}

    @Override
    public void cancel() {}
}

class ParallelTicks extends RichParallelSourceFunction<Long> {
    @Override
    public void run(SourceContext<Long> ctx) {}

    @Override
    public void cancel() {}
}

class Collecting extends RichSinkFunction<Long> {
    @Override
    public void invoke(Long value, Context context) {}
}

class LegacySources {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.addSource(new Ticks()).map(x -> x).print();
        env.addSource(new ParallelTicks(), "parallel ticks").uid("ticks").map(x -> x).addSink(new Collecting());
        env.addSource(
                        new ParallelSourceFunction<Long>() {
                            @Override
                            public void run(SourceContext<Long> ctx) {}

                            @Override
                            public void cancel() {}
                        })
                .setParallelism(3)
                .addSink(
                        new SinkFunction<Long>() {
                            @Override
                            public void invoke(Long value, Context context) {}
                        })
                .name("anonymous sink");
        env.fromElements(1L, 2L).print();
        env.fromCollection(Arrays.asList(1L, 2L)).map(x -> x).print();
        env.socketTextStream("localhost", 9999).print();
        env.generateSequence(1, 9).print();
        env.execute();
    }
}

class TextFiles {
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.getConfig().setGlobalJobParameters(parameters);
        DataStream<String> lines =
                parameters.has("input")
                        ? env.readTextFile(parameters.get("input")).uid("reader")
                        : env.fromElements("nothing");
        lines.map(String::trim).setParallelism(parameters.getInt("parallelism", 2)).writeAsText("/data/out");
        env.execute();
    }
}

class OldTimestamps {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.addSource(new Ticks())
                .assignTimestampsAndWatermarks(
                        new BoundedOutOfOrdernessTimestampExtractor<Long>(Time.seconds(1)) {
                            @Override
                            public long extractTimestamp(Long value) {
                                return value;
                            }
                        })
                .keyBy(x -> x)
                .reduce(Long::sum)
                .print();
        env.execute();
    }
}
// arguments TextFiles: --input /data/in --parallelism 3
