package jobs;

import org.apache.flink.streaming.api.functions.AssignerWithPeriodicWatermarks;
import org.apache.flink.streaming.api.watermark.Watermark;

public class Clock implements AssignerWithPeriodicWatermarks<Visit> {
  public Watermark getCurrentWatermark() { return new Watermark(System.currentTimeMillis()); }
  public long extractTimestamp(Visit visit, long before) { return visit.at; }
}
