package a;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;

public class Job {
  public static class Order { public String id; public String customer; public Order() {} }
  public static class Keep extends KeyedProcessFunction<String, Order, Order> {
    
    public void open(org.apache.flink.configuration.Configuration c) { getRuntimeContext().getState(new ValueStateDescriptor<>("v", Long.class)); }
    public void processElement(Order x, Context c, Collector<Order> o) {}
  }
  
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    
    DataStream<Order> s = env.fromSequence(1, 9).uid("n").map(i -> new Order()).returns(Order.class).uid("m");
    s.keyBy(o -> o.id).process(new Keep()).uid("keep").print().uid("out");
    env.execute();
  }
}
