package app.jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;
@Component
public class Orders implements Job { public void register(StreamExecutionEnvironment env) { env.fromData(1).keyBy(x -> x).reduce((a, b) -> a).uid("orders").print(); } }
