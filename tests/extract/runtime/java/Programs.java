import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.functions.async.*;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.sink.PrintSink;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.util.*;

/** Programs to capture, run by their names as a user would. */
public class Programs {
  interface Build { void build(StreamExecutionEnvironment env) throws Exception; }

  static class Seen extends KeyedProcessFunction<Long, Long, Long> {
    final MapStateDescriptor<Long, Long> held = new MapStateDescriptor<>("held", Long.class, Long.class);
    @Override public void processElement(Long v, Context c, Collector<Long> out) throws Exception {
      getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class)).update(v);
      getRuntimeContext().getMapState(held).put(v, v);
    }
  }

  static class Offsets extends RichMapFunction<Long, Long> implements CheckpointedFunction {
    @Override public Long map(Long x) { return x; }
    @Override public void snapshotState(FunctionSnapshotContext c) {}
    @Override public void initializeState(FunctionInitializationContext c) throws Exception {
      c.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("offsets", Long.class));
    }
  }

  static class Computed extends RichMapFunction<Long, Long> {
    @Override public Long map(Long x) throws Exception {
      getRuntimeContext().getState(new ValueStateDescriptor<>("n" + x, Long.class));
      return x;
    }
  }

  static class Plain implements MapFunction<Long, Long> { @Override public Long map(Long x) { return x; } }

  static class Sides extends ProcessFunction<Long, Long> {
    @Override public void processElement(Long v, Context c, Collector<Long> out) { out.collect(v); }
  }

  static class Wait implements AsyncFunction<Long, Long> {
    @Override public void asyncInvoke(Long x, ResultFuture<Long> r) { r.complete(Collections.singleton(x)); }
  }

  static class Both implements CoMapFunction<Long, Long, Long> {
    @Override public Long map1(Long x) { return x; }
    @Override public Long map2(Long x) { return x; }
  }

  static DataStream<Long> numbers(StreamExecutionEnvironment env) { return env.fromSequence(1, 100); }

  static final Map<String, Build> ALL = new LinkedHashMap<>();
  static {
    ALL.put("chain", env -> numbers(env).map(new Plain()).filter(x -> x > 3).sinkTo(new PrintSink<>()));
    ALL.put("uids", env -> env.fromSequence(1, 9).uid("in").map(new Plain()).uid("map").keyBy(x -> x % 3)
        .reduce(Long::sum).uid("sum").sinkTo(new PrintSink<>()).uid("out").name("Out"));
    ALL.put("state", env -> numbers(env).keyBy(x -> x).process(new Seen()).map(new Offsets()).keyBy(x -> x)
        .map(new Computed()).sinkTo(new PrintSink<>()));
    ALL.put("windows", env -> numbers(env).keyBy(x -> x % 3).window(TumblingEventTimeWindows.of(Five.seconds()))
        .reduce(Long::sum).windowAll(GlobalWindows.create()).reduce(Long::sum).sinkTo(new PrintSink<>()));
    ALL.put("unions", env -> {
      DataStream<Long> a = numbers(env), b = numbers(env).rebalance(), c = numbers(env).map(new Plain());
      a.union(b, c).map(new Plain()).sinkTo(new PrintSink<>());
      c.union(c).map(new Plain()).broadcast().map(new Plain()).sinkTo(new PrintSink<>());
    });
    ALL.put("sides", env -> {
      OutputTag<Long> late = new OutputTag<Long>("late") {};
      SingleOutputStreamOperator<Long> main = numbers(env).process(new Sides()).name("Split");
      main.sinkTo(new PrintSink<>());
      main.getSideOutput(late).map(new Plain()).sinkTo(new PrintSink<>());
      main.getSideOutput(late).rescale().map(new Plain()).sinkTo(new PrintSink<>());
    });
    ALL.put("connected", env -> numbers(env).keyBy(x -> x).connect(numbers(env).keyBy(x -> x)).map(new Both())
        .connect(numbers(env).broadcast()).map(new Both()).sinkTo(new PrintSink<>()));
    ALL.put("interval-join", env -> numbers(env).keyBy(x -> x).intervalJoin(numbers(env).keyBy(x -> x))
        .between(Five.seconds(), Five.seconds()).process(new ProcessJoinFunction<Long, Long, Long>() {
          @Override public void processElement(Long l, Long r, Context c, Collector<Long> out) { out.collect(l); }
        }).sinkTo(new PrintSink<>()));
    ALL.put("groups", env -> numbers(env).map(new Plain()).slotSharingGroup("g").map(new Plain())
        .slotSharingGroup("default").map(new Plain()).setParallelism(1).map(new Plain()).setMaxParallelism(7)
        .disableChaining().map(new Plain()).startNewChain().sinkTo(new PrintSink<>()));
    ALL.put("async", env -> AsyncDataStream.unorderedWait(numbers(env).map(new Plain()), new Wait(), 5,
        java.util.concurrent.TimeUnit.SECONDS).setUidHash("0123456789ABCDEF0123456789abcdef").sinkTo(new PrintSink<>()));
    ALL.put("no-chaining", env -> {
      env.disableOperatorChaining();
      numbers(env).map(new Plain()).map(new Plain()).sinkTo(new PrintSink<>());
    });
    ALL.put("max-parallelism", env -> {
      env.setMaxParallelism(64);
      numbers(env).keyBy(x -> x).reduce(Long::sum).setMaxParallelism(32).sinkTo(new PrintSink<>());
    });
    ALL.put("legacy", env -> Five.legacy(env).map(new Plain()).sinkTo(new PrintSink<>()));
    ALL.put("collision", env -> env.fromSequence(1, 9).uid("x").map(new Plain()).uid("x").sinkTo(new PrintSink<>()));
  }

  public static void main(String[] args) throws Exception {
    for (String name : args) {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      ALL.get(name).build(env);
      try {
        env.execute(name);
      } catch (Exception refused) {
        if (args.length == 1) throw refused;
      }
    }
  }
}
