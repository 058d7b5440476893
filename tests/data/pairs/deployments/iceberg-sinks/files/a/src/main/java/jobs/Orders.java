package jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.FlinkSink;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    FlinkSink.forRowData(env.fromSource(Rows.source(), null, "rows").uid("rows").map(new Clean()).uid("clean"))
        .tableLoader(TableLoader.fromHadoopTable("orders")).append();
    env.execute();
  }
}
