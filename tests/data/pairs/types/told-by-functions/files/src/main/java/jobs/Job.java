package jobs;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("host", 1)
        .map(line -> com.lib.Json.parse(line, Visit.class))
        .assignTimestampsAndWatermarks(new Clock())
        .keyBy(Visit::getPage)
        .window(TumblingEventTimeWindows.of(Time.minutes(5)))
        .process(new Count())
        .uid("count")
        .print();
    // further jobs
    env.execute();
  }
}
