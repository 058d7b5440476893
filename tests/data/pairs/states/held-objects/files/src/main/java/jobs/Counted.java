package jobs;
import java.io.Serializable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.*;
public class Counted implements Serializable {
  private final String name;
  private transient ValueState<Long> count;
  public Counted(String name) { this.name = name; }
  void open(RuntimeContext c) { count = c.getState(new ValueStateDescriptor<>(name, Long.class)); }
}
