package golden;

import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.sink.compactor.ConcatFileCompactor;
import org.apache.flink.connector.file.sink.compactor.FileCompactStrategy;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.PrintSink;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

class ManySinks {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9);
        numbers.sinkTo(new PrintSink<>());
        numbers.sinkTo(new PrintSink<>("prefix", true)).name("named").uid("named-sink");
        numbers.sinkTo(new DiscardingSink<>()).setParallelism(1);
        numbers.printToErr();
        numbers.map(x -> x).print("again");
        env.execute();
    }
}

class Files {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> lines = env.fromSequence(1, 9).map(x -> "line " + x);
        FileSink<String> sink =
                FileSink.forRowFormat(new Path("/data/out"), new SimpleStringEncoder<String>("UTF-8")).build();
        lines.sinkTo(sink).uid("files").name("Files");
        DataStreamSink<String> unpinned = lines.sinkTo(sink);
        unpinned.setParallelism(2);
        env.execute();
    }
}

class CompactedFiles {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        FileSink<String> sink =
                FileSink.forRowFormat(new Path("/data/out"), new SimpleStringEncoder<String>())
                        .enableCompact(
                                FileCompactStrategy.Builder.newBuilder().enableCompactionOnCheckpoint(2).build(),
                                new ConcatFileCompactor())
                        .build();
        env.fromSequence(1, 9).map(x -> "line " + x).sinkTo(sink).uid("compacted");
        env.execute();
    }
}

class CompactionSwitchedOff {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        FileSink.DefaultRowFormatBuilder<String> builder =
                FileSink.forRowFormat(new Path("/data/out"), new SimpleStringEncoder<String>());
        builder.disableCompact();
        env.fromSequence(1, 9).map(x -> "line " + x).sinkTo(builder.build()).uid("files");
        env.execute();
    }
}
