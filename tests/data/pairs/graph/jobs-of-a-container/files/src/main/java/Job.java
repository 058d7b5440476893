import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
@SpringBootApplication
public class Job implements CommandLineRunner {
  private final ApplicationContext context;
  public Job(ApplicationContext context) { this.context = context; }
  public static void main(String[] args) { SpringApplication.run(Job.class, args); }
  public void run(String... args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ((Part) context.getBean(args[0])).build(env);
    env.execute("job");
  }
}
