package com.acme;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.java.utils.ParameterTool;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var numbers = env.fromSequence(0, 9);
    if (ParameterTool.fromArgs(args).has("filter")) numbers = numbers.filter(n -> n > 1);
    numbers.keyBy(n -> n % 2).reduce((a, b) -> a + b).print();
    env.execute();
  }
}
