package t;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> north = env.fromSequence(1, 9).uid("north");
        DataStream<Long> south = env.fromSequence(1, 9).uid("south");
        DataStream<Long> west = env.fromSequence(1, 9).uid("west");
        north.union(south).keyBy(x -> x).reduce((x, y) -> x).uid("last").print().uid("out");
        west.print().uid("west-out");
        env.execute("job");
    }
}
