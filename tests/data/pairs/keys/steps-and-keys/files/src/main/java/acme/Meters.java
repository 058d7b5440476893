package acme;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Meters implements SourceFunction<Reading> {
  @Override public void run(SourceContext<Reading> out) { out.collect(new Reading()); }
  @Override public void cancel() { }
}
