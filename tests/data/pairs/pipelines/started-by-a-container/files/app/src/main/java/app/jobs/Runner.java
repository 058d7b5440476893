package app.jobs;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.stereotype.*; import org.springframework.context.annotation.*;

@Component
public class Runner {
  Runner(StreamExecutionEnvironment env, java.util.List<Job> jobs, Unmodelled u) { this.env = env; this.jobs = jobs; }
  private final StreamExecutionEnvironment env;
  private final java.util.List<Job> jobs;
  @org.springframework.context.event.EventListener
  public void started(Unmodelled event) throws Exception {
    for (Job j : jobs) j.register(env);
    env.execute("orders");
  }
}
