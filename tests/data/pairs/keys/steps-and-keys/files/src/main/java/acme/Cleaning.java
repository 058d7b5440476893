package acme;
import org.apache.flink.streaming.api.datastream.*;
public class Cleaning {
  private final String name;
  public Cleaning(String name) { this.name = name; }
  public SingleOutputStreamOperator<Reading> process(DataStream<Reading> readings) {
    return readings.map(r -> r).returns(Reading.class).uid(name);
  }
}
