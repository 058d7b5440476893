package app;
public abstract class Groups extends org.apache.flink.api.common.functions.RichCoGroupFunction<String, String, String> {}
