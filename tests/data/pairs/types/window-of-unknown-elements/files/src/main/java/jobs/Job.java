package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var payloads = env.fromSequence(1, 9).uid("numbers")
        .map((MapFunction<Long, Payload>) n -> Payload.of(n)).uid("parse");
    //
    payloads.map(p -> "" + p).uid("texts").print();
    env.execute();
  }
}
