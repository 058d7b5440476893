package jobs;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.socketTextStream("h", 1).uid("s").keyBy(x -> x)
        .transform("late", Types.STRING, new Late()).uid("late").print();
    env.execute();
  }
}
