package acme;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<String> in = env.socketTextStream("host", 9999).uid("in");
    in = in.keyBy(x -> x).process(new Built.Builder().kept(true).name("built").build()).uid("built");
    in = in.keyBy(x -> x).process(new Above()).uid("above");
    in = in.keyBy(x -> x).process(new Expiring().hours(0)).uid("expiring");
    in = in.keyBy(x -> x).process(new Helped()).uid("helped");
    in = in.keyBy(x -> x).process(new Several("x")).uid("several");
    in = in.keyBy(x -> x).process(new Typed<>(Long.class, Types.LONG)).uid("typed");
    in = in.keyBy(x -> x).process(new Lazy(() -> "late")).uid("lazy");
    in.print().uid("out");
    env.execute("registering");
  }
}
