package app;
public abstract class Sums extends org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction<String, String, String, String> {}
