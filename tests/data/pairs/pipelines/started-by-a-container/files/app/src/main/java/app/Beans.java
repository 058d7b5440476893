package app;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;
@Configuration
public class Beans { @Bean StreamExecutionEnvironment env() { var env = StreamExecutionEnvironment.getExecutionEnvironment(); env.setParallelism(2); return env; } }
