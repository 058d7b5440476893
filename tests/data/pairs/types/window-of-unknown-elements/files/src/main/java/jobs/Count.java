package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

public class Count extends org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction<Payload, Long,
    org.apache.flink.streaming.api.windowing.windows.TimeWindow> {
  public void process(Context context, Iterable<Payload> all, org.apache.flink.util.Collector<Long> out) {
    long n = 0;
    for (Payload ignored : all) { n++; }
    out.collect(n);
  }
}
