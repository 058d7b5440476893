public enum Mode {
  COUNT, SUM;
  org.apache.flink.streaming.api.functions.KeyedProcessFunction<Long, Long, Long> function() { return this == COUNT ? new Count() : new Sum(); }
}
