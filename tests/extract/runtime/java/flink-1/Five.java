import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.ParallelSourceFunction;
import org.apache.flink.streaming.api.windowing.time.Time;

/** What is spelled differently in Flink 1.x and 2.x. */
class Five {
  static class Numbers implements ParallelSourceFunction<Long> {
    @Override public void run(SourceContext<Long> c) {}
    @Override public void cancel() {}
  }

  static Time seconds() { return Time.seconds(5); }
  static DataStream<Long> legacy(StreamExecutionEnvironment env) { return env.addSource(new Numbers(), "Old", Types.LONG); }
}
