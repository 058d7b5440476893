import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Programs that misbehave before, while or after they submit a job. */
public class Hostile {
  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "exit": System.exit(3); break;
      case "exit-after": submit("x"); System.exit(0); break;
      case "throw": throw new IllegalStateException("no configuration found");
      case "nothing": break;
      case "threads": {
        Thread busy = new Thread(() -> { while (true) Thread.yield(); });
        busy.setDaemon(false);
        busy.start();
        submit("x");
        break;
      }
      case "flood": {
        byte[] line = new byte[1 << 20];
        java.util.Arrays.fill(line, (byte) 'x');
        for (int i = 0; i < 1024; i++) System.out.write(line);
        System.out.println("\nthe end of it");
        throw new RuntimeException("flooded");
      }
      case "child": {
        new ProcessBuilder("sleep", "98765").start();
        Thread.sleep(1_000_000);
        break;
      }
      case "escape": {
        new ProcessBuilder("setsid", "sleep", "98761").start();
        new ProcessBuilder("sh", "-c", "(setsid sh -c '(sleep 98762 &) & sleep 98763' &) &").start().waitFor();
        new ProcessBuilder("env", "-i", "setsid", "/bin/sh", "-c", "trap '' TERM HUP; /bin/sleep 98764; :").start();
        Thread.sleep(500);
        if (args.length > 1) System.exit(0);
        submit("x");
        break;
      }
      case "missing": Absent.touch(); submit("x"); break;
      case "memory": {
        java.util.List<byte[]> all = new java.util.ArrayList<>();
        while (true) all.add(new byte[1 << 24]);
      }
      case "many": {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        numbers(env).print();
        env.execute("first");
        numbers(env).map(x -> x).print();
        env.executeAsync("second").getJobExecutionResult().get();
        numbers(env).map(x -> x).map(x -> x).executeAndCollect().forEachRemaining(x -> { throw new RuntimeException("a row"); });
        break;
      }
      case "local": {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(3);
        numbers(env).print();
        env.execute("local");
        break;
      }
      case "remote": {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createRemoteEnvironment("nowhere", 1, 5);
        numbers(env).print();
        env.execute("remote");
        break;
      }
      case "set-up": {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> sum = numbers(env).keyBy(x -> x).reduce(Long::sum).uid("sum");
        for (String how : args[1].split(",")) sum = sum.map(new SetUp(how)).uid("set-up " + how);
        sum.print();
        env.execute("set-up");
        break;
      }
      case "secret": throw new IllegalStateException("sees " + System.getenv("SECRET_TOKEN") + " and " + System.getenv("TZ"));
      default: throw new IllegalArgumentException(args[0]);
    }
  }

  /** Asks for its state, unless what it needs is not there. */
  static class SetUp implements MapFunction<Long, Long>, CheckpointedFunction {
    private final String how;
    SetUp(String how) { this.how = how; }
    @Override public Long map(Long x) { return x; }
    @Override public void snapshotState(FunctionSnapshotContext context) {}
    @Override public void initializeState(FunctionInitializationContext context) throws Exception {
      if (how.equals("throw")) throw new IllegalStateException("no database on localhost:5432");
      if (how.equals("connect")) new java.net.Socket("localhost", 1);
      if (how.equals("exit")) System.exit(7);
      if (how.equals("halt")) Runtime.getRuntime().halt(7);
      while (how.equals("loop")) {
        try { Thread.sleep(50); } catch (InterruptedException ignored) { /* it goes on */ }
      }
      if (how.equals("threads")) {
        Thread busy = new Thread(() -> { while (true) Thread.yield(); });
        busy.setDaemon(false);
        busy.start();
      }
      context.getOperatorStateStore().getListState(new ListStateDescriptor<>(how, Long.class));
    }
  }

  static DataStream<Long> numbers(StreamExecutionEnvironment env) { return env.fromSequence(1, 9); }

  static void submit(String uid) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(1, 9).uid(uid).print();
    env.execute("job");
  }
}
