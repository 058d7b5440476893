import java.io.Serializable;
import java.util.*;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.*;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** Functions that reach for state in roundabout ways, each an operator whose uid says what is to be found. */
public class Hidden {
  static ValueStateDescriptor<Long> longs(String name) {
    return new ValueStateDescriptor<>(name, Long.class);
  }

  static class Base extends RichMapFunction<Long, Long> {
    @Override public Long map(Long x) throws Exception { return x; }
  }

  static class StringBuilderName extends Base {
    @Override public Long map(Long x) throws Exception {
      getRuntimeContext().getState(longs(new StringBuilder("part-").append(x % 2).toString()));
      return x;
    }
  }

  static class ConcatName extends Base {
    @Override public Long map(Long x) throws Exception {
      getRuntimeContext().getState(new ValueStateDescriptor<>("part-".concat("a"), Long.class));
      return x;
    }
  }

  static class PropertyName extends Base {
    static String name = System.getProperty("user.name");
    @Override public Long map(Long x) throws Exception { getRuntimeContext().getState(longs(name)); return x; }
  }

  static class ChosenName extends Base {
    final boolean old;
    ChosenName(boolean old) { this.old = old; }
    @Override public Long map(Long x) throws Exception {
      getRuntimeContext().getState(new ValueStateDescriptor<>(old ? "old" : "new", Long.class));
      return x;
    }
  }

  static class Inner extends Base {
    private final String name;
    Inner(String name) { this.name = name; }
    @Override public Long map(Long x) throws Exception { getRuntimeContext().getState(longs(name)); return x; }
  }

  static class Wrapper extends Base {
    private final RichMapFunction<Long, Long> inner;
    Wrapper(RichMapFunction<Long, Long> inner) { this.inner = inner; }
    @Override public void setRuntimeContext(RuntimeContext context) {
      super.setRuntimeContext(context);
      inner.setRuntimeContext(context);
    }
    @Override public Long map(Long x) throws Exception { return inner.map(x); }
  }

  static class ListOfInner extends Base {
    private final List<MapFunction<Long, Long>> all = new ArrayList<>(Arrays.asList(new Inner("one"), new Inner("two")));
    @Override public Long map(Long x) throws Exception {
      for (MapFunction<Long, Long> one : all) {
        FunctionUtils.setFunctionRuntimeContext(one, getRuntimeContext());
        x = one.map(x);
      }
      return x;
    }
  }

  static class MadeLater extends Base {
    private transient Inner inner;
    @Override public Long map(Long x) throws Exception {
      if (inner == null) {
        inner = new Inner("made-later");
        inner.setRuntimeContext(getRuntimeContext());
      }
      return inner.map(x);
    }
  }

  static class Erased {
    static void use(Object context, Object name) throws Exception {
      ((RuntimeContext) context).getState(longs((String) name));
    }
  }

  static class ThroughObject extends Base {
    @Override public Long map(Long x) throws Exception { Erased.use(getRuntimeContext(), "erased"); return x; }
  }

  interface Get extends Function<RuntimeContext, ValueState<Long>>, Serializable {}

  static class ByLambda extends Base {
    private final Get get;
    ByLambda(Get get) { this.get = get; }
    @Override public Long map(Long x) throws Exception { get.apply(getRuntimeContext()).update(x); return x; }
  }

  static class BySupplier extends Base {
    @Override public Long map(Long x) throws Exception {
      Supplier<ValueState<Long>> late = () -> getRuntimeContext().getState(longs("supplied"));
      late.get().update(x);
      return x;
    }
  }

  static class ByReference extends Base {
    @Override public Long map(Long x) throws Exception {
      Function<ValueStateDescriptor<Long>, ValueState<Long>> get = getRuntimeContext()::getState;
      get.apply(longs("referenced")).update(x);
      return x;
    }
  }

  static class ByReflection extends Base {
    @Override public Long map(Long x) throws Exception {
      RuntimeContext.class.getMethod("getState", ValueStateDescriptor.class).invoke(getRuntimeContext(), longs("r"));
      return x;
    }
  }

  static class Shared {
    static final ThreadLocal<RuntimeContext> CONTEXT = new ThreadLocal<>();
  }

  static class ThroughThreadLocal extends Base {
    @Override public Long map(Long x) throws Exception { Shared.CONTEXT.set(getRuntimeContext()); return x; }
  }

  static class InAList extends Base {
    @Override public Long map(Long x) throws Exception {
      List<ValueStateDescriptor<Long>> all = Arrays.asList(longs("a"), longs("b"));
      for (ValueStateDescriptor<Long> one : all) getRuntimeContext().getState(one);
      return x;
    }
  }

  abstract static class Template extends Base {
    protected abstract ValueStateDescriptor<Long> descriptor();
    @Override public Long map(Long x) throws Exception { getRuntimeContext().getState(descriptor()); return x; }
  }

  static class Filled extends Template {
    @Override protected ValueStateDescriptor<Long> descriptor() { return longs("filled"); }
  }

  interface Remembering extends RichFunction {
    default ValueState<Long> remembered() { return getRuntimeContext().getState(longs("remembered")); }
  }

  static class ByDefaultMethod extends Base implements Remembering {
    @Override public Long map(Long x) throws Exception { remembered().update(x); return x; }
  }

  enum How {
    PLAIN { @Override void touch(RuntimeContext context) {} },
    KEEP { @Override void touch(RuntimeContext context) { context.getState(longs("by-enum")); } };
    abstract void touch(RuntimeContext context);
  }

  static class ByEnum extends Base {
    private final How how = How.KEEP;
    @Override public Long map(Long x) throws Exception { how.touch(getRuntimeContext()); return x; }
  }

  static class FieldsOfAnother extends Base {
    static class All { static final ValueStateDescriptor<Long> USED = longs("used"), UNUSED = longs("unused"); }
    @Override public Long map(Long x) throws Exception { getRuntimeContext().getState(All.USED); return x; }
  }

  static class InALoop extends Base {
    @Override public Long map(Long x) throws Exception {
      ValueStateDescriptor<Long> next = longs("first");
      for (int i = 0; i < 2; i++) {
        getRuntimeContext().getState(next);
        next = longs("second");
      }
      return x;
    }
  }

  static class WindowState extends ProcessWindowFunction<Long, Long, Long, GlobalWindow> {
    static void keep(KeyedStateStore store) { store.getState(longs("per-window")); }
    @Override public void process(Long key, Context context, Iterable<Long> all, Collector<Long> out) {
      keep(context.windowState());
    }
  }

  static class Operator extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long, Long> {
    @Override public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      context.getOperatorStateStore().getListState(new ListStateDescriptor<>("of-operator", Long.class));
    }
    @Override public void processElement(StreamRecord<Long> record) throws Exception {
      getPartitionedState(longs("partitioned")).update(record.getValue());
      output.collect(record);
    }
  }

  static class UdfOperator extends AbstractUdfStreamOperator<Long, MapFunction<Long, Long>>
      implements OneInputStreamOperator<Long, Long> {
    UdfOperator(MapFunction<Long, Long> function) { super(function); }
    @Override public void processElement(StreamRecord<Long> record) throws Exception {
      getPartitionedState(longs("beside-function")).update(userFunction.map(record.getValue()));
      output.collect(record);
    }
  }

  static class PlainOperator extends AbstractStreamOperator<Long> implements OneInputStreamOperator<Long, Long> {
    @Override public void processElement(StreamRecord<Long> record) { output.collect(record); }
  }

  static class Raw extends PlainOperator {
    @Override public void snapshotState(StateSnapshotContext context) throws Exception {
      context.getRawKeyedOperatorStateOutput().write(1);
    }
  }

  static class Checkpointed extends Base implements CheckpointedFunction {
    @Override public void snapshotState(FunctionSnapshotContext context) {}
    @Override public void initializeState(FunctionInitializationContext context) throws Exception {
      OperatorStateStore store = context.getOperatorStateStore();
      store.getListState(new ListStateDescriptor<>("split", Long.class));
      store.getBroadcastState(new MapStateDescriptor<>("everywhere", Long.class, Long.class));
      context.getKeyedStateStore().getListState(new ListStateDescriptor<>("by-key", Long.class));
    }
  }

  static class Hook extends Base implements CheckpointedFunction {
    @Override public void snapshotState(FunctionSnapshotContext context) {}
    @Override public void initializeState(FunctionInitializationContext context) {}
  }

  static class NoState extends Base {
    static class Metrics {
      final Object calls;
      Metrics(RuntimeContext context) { calls = context.getMetricGroup().counter("calls"); }
      static void count(RuntimeContext context) { context.getMetricGroup().gauge("one", () -> 1); }
    }
    private transient Metrics metrics;
    @Override public Long map(Long x) throws Exception {
      RuntimeContext context = Objects.requireNonNull(getRuntimeContext());
      if (metrics == null) metrics = new Metrics(context);
      Metrics.count(context);
      longs("made and never used").enableTimeToLive(StateTtlConfig.DISABLED);
      System.out.println(context);
      return x;
    }
  }

  /** Asks in open(), by names that are computed there. */
  static class Opened extends Base {
    transient ValueState<Long> state;
    @Override public void open(OpenContext context) { state = helper(new StringBuilder("part-").append(7)); }
    ValueState<Long> helper(StringBuilder name) { return getRuntimeContext().getState(longs(name.toString())); }
    @Override public Long map(Long x) throws Exception { state.update(x); return x; }
  }

  static class Deferred extends Base {
    transient Supplier<ValueState<Long>> state;
    @Override public void open(OpenContext context) { state = () -> getRuntimeContext().getState(longs("late")); }
    @Override public Long map(Long x) throws Exception { state.get().update(x); return x; }
  }

  static class Registering {
    final ValueState<Long> state;
    Registering(RuntimeContext context) { state = context.getState(longs("registered")); }
  }

  static class ByHelper extends Base {
    transient Registering helper;
    @Override public void open(OpenContext context) { helper = new Registering(getRuntimeContext()); }
    @Override public Long map(Long x) throws Exception { helper.state.update(x); return x; }
  }

  static class Both extends CoProcessFunction<Long, Long, Long> {
    @Override public void processElement1(Long x, Context context, Collector<Long> out) {}
    @Override public void processElement2(Long x, Context context, Collector<Long> out) {}
  }

  static DataStream<Long> stream;

  static KeyedStream<Long, Long> keyed() { return stream.keyBy(x -> x % 3); }

  static void map(String uid, RichMapFunction<Long, Long> function) { keyed().map(function).uid(uid); }

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    stream = env.fromSequence(1, 9);
    map("open: string builder", new StringBuilderName());
    map("open: concat", new ConcatName());
    map("open: property", new PropertyName());
    map("open: chosen", new ChosenName(true));
    map("open: one", new Inner("one"));
    map("open: wrapped", new Wrapper(new Inner("wrapped")));
    map("open: list of functions", new ListOfInner());
    map("open: made-later", new MadeLater());
    map("open: erased", new ThroughObject());
    map("open: by-lambda", new ByLambda(context -> context.getState(longs("by-lambda"))));
    map("open: supplied", new BySupplier());
    map("open: reference", new ByReference());
    map("open: reflection", new ByReflection());
    map("none: thread local", new ThroughThreadLocal());
    map("open: list", new InAList());
    map("open: filled", new Filled());
    map("open: remembered", new ByDefaultMethod());
    map("open: by-enum", new ByEnum());
    map("open: used", new FieldsOfAnother());
    map("open: loop", new InALoop());
    map("broadcast everywhere, list by-key, operator-list split", new Checkpointed());
    map("none: hook", new Hook());
    map("none: metrics", new NoState());
    map("value part-7", new Opened());
    map("open: deferred", new Deferred());
    map("value registered", new ByHelper());
    keyed().window(GlobalWindows.create()).trigger(CountTrigger.of(3)).reduce(Long::sum)
        .uid("reducing count, reducing window-contents");
    stream.map(new MapFunction<Long, Long>() {
      @Override public Long map(Long x) { return x; }
    }).uid("none: anonymous");
    stream.map(x -> x).uid("none: lambda");
    stream.map(new Wrapper(new Base())).uid("none: wrapper");
    keyed().window(GlobalWindows.create()).trigger(CountTrigger.of(3)).process(new WindowState())
        .uid("list window-contents, reducing count and more: window state");
    keyed().transform("Operator", Types.LONG, new Operator()).uid("operator-list of-operator and more");
    keyed().transform("Udf", Types.LONG, new UdfOperator(x -> x)).uid("open: operator with a function");
    keyed().transform("Raw", Types.LONG, new Raw()).uid("open: raw");
    stream.transform("Plain", Types.LONG, new PlainOperator()).uid("none: operator");
    stream.connect(stream).process(new Both()).uid("none: co-process");
    stream.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks()).uid("none: watermarks");
    stream.sinkTo(new DiscardingSink<>()).uid("none: sink");
    env.execute("hidden");
  }
}
