package app.jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public interface Job { void register(StreamExecutionEnvironment env); }
