package no.ferry;

import java.time.Duration;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class FerryJob {
    public static void main(String[] args) throws Exception {
        ParameterTool given = ParameterTool.fromArgs(args);
        int days = Integer.parseInt(System.getenv().getOrDefault("KEEP_DAYS", "30"));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Crossing> all = env.socketTextStream("quay", 9).uid("quay").map(Crossing::parse).uid("parsed");
        DataStream<Crossing> full = Streams.over(all, c -> c.cars() > 5);
        Streams.marked(all, c -> c.route()).keyBy(n -> n).reduce((a, b) -> b).uid("routes").print();
        Streams.marked(all, c -> c.back()).keyBy(n -> n).reduce((a, b) -> b).uid("ways-back").print();
        Streams.plain(all, c -> c.ship().toLowerCase()).keyBy(n -> n).reduce((a, b) -> b).uid("ships").print();
        full.keyBy(c -> c.ship()).process(new Last(Duration.ofDays(days), given.getLong("hours", 12))).uid("last").print();
        env.execute("ferry");
    }
}
