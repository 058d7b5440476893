package app;
public abstract class Both extends org.apache.flink.streaming.api.functions.co.ProcessJoinFunction<String, String, String> {}
