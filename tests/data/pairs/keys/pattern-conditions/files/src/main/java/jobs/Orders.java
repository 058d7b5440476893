package jobs;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Pattern<Order, ?> large = Pattern.<Order>begin("first").where(SimpleCondition.of(x -> x.size() > 1));
    CEP.pattern(env.socketTextStream("h", 1).uid("s").map(acme.Orders::parse).keyBy(acme.Keys.byId()), large)
        .process(new Found()).uid("cep").print().uid("out");
    env.execute();
  }
}
