package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Started { void go() { StreamExecutionEnvironment.getExecutionEnvironment().fromData(1).map(x -> Own.n + x).uid(Own.uid()).print(); env.execute(); } }