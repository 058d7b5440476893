package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Own extends com.lib.Base implements SourceFunction<String> {
  public void run(SourceContext<String> context) { }
  public void cancel() { }
}
