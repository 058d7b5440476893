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
public class Own<T> implements SimpleVersionedSerializer<T> {
  @Override public int getVersion() { return 1; }
  @Override public byte[] serialize(T t) { return org.ware.Bytes.of(t); }
  @Override public T deserialize(int v, byte[] b) { return org.ware.Bytes.read(b); }
}
