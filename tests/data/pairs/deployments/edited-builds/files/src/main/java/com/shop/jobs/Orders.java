package com.shop.jobs;
import com.acme.Sources;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Sources.open(env, ParameterTool.fromArgs(args), com.shop.jobs.Names.of(args))
        .keyBy(x -> x).reduce((x, y) -> y).uid("kept").print();
    env.execute();
  }
}
