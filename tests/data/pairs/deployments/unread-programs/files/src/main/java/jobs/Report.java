package jobs;
import org.apache.flink.table.api.TableEnvironment;
public class Report {
  public static void main(String[] args) {
    TableEnvironment t = TableEnvironment.create(Settings.of(args));
    Unknown.hand(t);
  }
}
