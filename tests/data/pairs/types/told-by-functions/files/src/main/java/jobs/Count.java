package jobs;

import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

public class Count extends ProcessWindowFunction<Visit, Long, String, TimeWindow> {
  public void process(String page, Context context, Iterable<Visit> visits, Collector<Long> out) {
    long count = 0;
    for (Visit visit : visits) count++;
    out.collect(count);
  }
}
