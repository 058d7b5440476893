import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.*;
import org.apache.flink.streaming.api.functions.source.ParallelSourceFunction;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.api.transformations.*;

/** What is spelled differently in Flink 1.x and 2.x. */
class Shim {
  static class Numbers implements ParallelSourceFunction<Long> {
    public void run(SourceContext<Long> c) {}
    public void cancel() {}
  }

  static class Discard implements SinkFunction<Long> { public void invoke(Long v, Context c) {} }

  static Transformation<Long> legacySource(StreamExecutionEnvironment env, String name) {
    return env.addSource(new Numbers(), name, Types.LONG).getTransformation();
  }

  static Transformation<?> legacySink(DataStream<Long> d, String name) {
    return d.addSink(new Discard()).name(name).getTransformation();
  }

  static DataStreamSink<Long> sink(DataStream<Long> d, boolean committer) {
    if (committer)
      return d.sinkTo(FileSink.<Long>forRowFormat(new Path("file:///nowhere"), new SimpleStringEncoder<Long>()).build());
    return d.sinkTo(new PrintSink<Long>());
  }

  static class Yielding extends AbstractStreamOperatorFactory<Long>
      implements OneInputStreamOperatorFactory<Long, Long>, YieldingOperatorFactory<Long> {
    public void setMailboxExecutor(MailboxExecutor executor) {}
    public <T extends StreamOperator<Long>> T createStreamOperator(StreamOperatorParameters<Long> p) {
      throw new UnsupportedOperationException();
    }
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader c) { return StreamMap.class; }
  }
}
