package jobs;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.connector.sink2.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.core.io.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.*;
public class Numbers implements Source<String, Part, List<Part>> {
  @Override public Boundedness getBoundedness() { return Boundedness.CONTINUOUS_UNBOUNDED; }
  @Override public SourceReader<String, Part> createReader(SourceReaderContext c) { return new Reader(c); }
  @Override public SimpleVersionedSerializer<Part> getSplitSerializer() { return new Own<>(); }
  @Override public SimpleVersionedSerializer<List<Part>> getEnumeratorCheckpointSerializer() { return new Own<>(); }
}
