package com.acme;

import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ParameterTool p = ParameterTool.fromArgs(args);
    String prefix = p.get("uid-prefix", "v1");
    env.fromSequence(1, 9).uid(prefix + "-in").keyBy(x -> x).reduce((a, b) -> a).uid(prefix + "-sum").print().uid(prefix + "-out");
    env.execute();
  }
}
