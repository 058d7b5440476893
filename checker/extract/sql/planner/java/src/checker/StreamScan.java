package checker;

import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.data.RowData;

/** A scan of one source whose uid, where uids are generated, ends with the connector's own name for it. */
public final class StreamScan implements DataStreamScanProvider {
  private final Source<?, ?, ?> source;
  private final WatermarkStrategy<RowData> watermarks;
  private final String name;
  private final String uid;
  private final Integer parallelism;

  /** A null uid leaves the source without one, a null parallelism with that of the job. */
  public StreamScan(
      Source<?, ?, ?> source, WatermarkStrategy<RowData> watermarks, String name, String uid, Integer parallelism) {
    this.source = source;
    this.name = name;
    this.watermarks = watermarks;
    this.uid = uid;
    this.parallelism = parallelism;
  }

  /** Asked for from Flink 1.19 on. */
  public Optional<Integer> getParallelism() {
    return Optional.ofNullable(parallelism);
  }

  @Override
  @SuppressWarnings("unchecked")
  public DataStream<RowData> produceDataStream(ProviderContext context, StreamExecutionEnvironment environment) {
    DataStreamSource<RowData> stream = environment.fromSource((Source<RowData, ?, ?>) source, watermarks, name);
    if (uid != null) {
      context.generateUid(uid).ifPresent(stream::uid);
    }
    return stream;
  }

  @Override
  public boolean isBounded() {
    return false;
  }
}
