package jobs;
import org.apache.flink.api.common.functions.RuntimeContext;
public interface Handler extends java.io.Serializable {
  void open(RuntimeContext context);
  void on(String x) throws Exception;
}
