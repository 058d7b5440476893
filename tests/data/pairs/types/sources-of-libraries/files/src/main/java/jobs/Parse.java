package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;
public class Parse implements MapFunction<String, Payload> { public Payload map(String t) { return null; } }