package t; import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job { public static void main(String[] a) throws Exception { StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
 org.apache.flink.api.java.utils.ParameterTool p = org.apache.flink.api.java.utils.ParameterTool.fromArgs(a);
 env.fromSequence(1,9).uid("s").keyBy(x->x).reduce((x,y)->x).uid(p.get("uid", "r")).print().uid("o"); env.execute("j"); } }
