import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
@org.springframework.stereotype.Component
public class Orders implements Part {
  public void build(StreamExecutionEnvironment env) {
    env.fromSequence(0, 9).uid("in").keyBy(x -> x % 5).reduce((a, b) -> a + Maths.one()).uid("n").print().uid("out");
  }
}
