package com.shop;

import org.apache.doris.flink.sink.DorisSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DorisSink<String> sink = DorisSink.<String>builder().build();
    env.socketTextStream("orders", 9000).uid("orders").sinkTo(sink).uid("doris");
    env.execute("orders");
  }
}
