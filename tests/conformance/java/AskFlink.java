import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.*;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.*;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.*;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.graph.*;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.api.operators.co.CoStreamMap;
import org.apache.flink.streaming.api.transformations.*;
import org.apache.flink.streaming.runtime.partitioner.*;
import org.apache.flink.util.OutputTag;
import org.apache.flink.util.SerializedValue;
import org.apache.flink.util.function.SerializableSupplier;

/** Reads topology documents (JSON lines), builds each with real Flink and prints what Flink made of it. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class AskFlink {
  static final ObjectMapper JSON = new ObjectMapper();
  static class Id implements MapFunction<Long, Long> { public Long map(Long x) { return x; } }
  static class CoId implements CoMapFunction<Long, Long, Long> {
    public Long map1(Long x) { return x; }
    public Long map2(Long x) { return x; }
  }
  static class Key implements KeySelector<Long, Long> { public Long getKey(Long x) { return x % 7; } }
  static class Part implements Partitioner<Long> { public int partition(Long k, int n) { return (int) (k % n); } }

  public static void main(String[] args) throws Exception {
    JSON.getFactory().configure(JsonGenerator.Feature.ESCAPE_NON_ASCII, true); // lone surrogates have no UTF-8
    BufferedReader in = new BufferedReader(new InputStreamReader(new FileInputStream(args[0]), StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(args[1])), false, "UTF-8");
    long nanos = 0;
    int count = 0;
    for (String line; (line = in.readLine()) != null; count++) {
      ObjectNode document = (ObjectNode) JSON.readTree(line);
      ObjectNode answer = JSON.createObjectNode();
      answer.put("name", document.path("name").asText());
      try {
        long start = System.nanoTime();
        new AskFlink(document).answer(answer);
        nanos += System.nanoTime() - start;
      } catch (Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null && cause.getCause() != cause) cause = cause.getCause();
        answer.removeAll();
        answer.put("name", document.path("name").asText());
        answer.put("error", cause.getClass().getSimpleName());
        answer.put("message", String.valueOf(cause.getMessage()));
        if (System.getProperty("trace") != null) thrown.printStackTrace();
      }
      out.println(JSON.writeValueAsString(answer));
    }
    out.flush();
    System.err.println(count + " documents, " + nanos / 1000000 + " ms in Flink");
  }

  final ObjectNode document;
  final StreamExecutionEnvironment env;
  final Map<Integer, String> handles = new HashMap<>();

  AskFlink(ObjectNode document) {
    this.document = document;
    Configuration conf = new Configuration();
    option(conf, "auto_generate_uids", "pipeline.auto-generate-uids");
    option(conf, "chain_different_max_parallelism",
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism");
    env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
    env.setParallelism(document.path("parallelism").asInt(1));
    if (document.has("max_parallelism")) env.setMaxParallelism(document.get("max_parallelism").asInt());
    if (!document.path("chaining").asBoolean(true)) env.disableOperatorChaining();
  }

  void option(Configuration conf, String field, String key) {
    if (document.has(field)) conf.setString(key, document.get(field).asText());
  }

  static String text(JsonNode node, String field) {
    JsonNode value = node.get(field);
    return value == null || value.isNull() ? null : value.asText();
  }

  /** Declares the transformations of a list in order; returns the last one's stream. */
  Transformation<Long> declare(JsonNode list, Map<String, Transformation<Long>> known) {
    Transformation<Long> last = known.get("@");
    for (JsonNode t : list) {
      String kind = text(t, "kind");
      if (kind.equals("sink")) { sink(t, known); continue; }
      last = one(t, kind, known);
      known.put(text(t, "id"), last);
      handles.put(last.getId(), text(t, "id"));
    }
    return last;
  }

  Transformation<Long> one(JsonNode t, String kind, Map<String, Transformation<Long>> known) {
    String name = t.has("name") ? text(t, "name") : text(t, "id");
    boolean parallelismSet = t.has("parallelism");
    int parallelism = parallelismSet ? t.get("parallelism").asInt() : env.getParallelism();
    List<Transformation<Long>> inputs = new ArrayList<>();
    for (JsonNode input : t.path("inputs")) inputs.add(known.get(input.asText()));
    Transformation<Long> x;
    switch (kind) {
      case "source":
        x = env.fromSource(new NumberSequenceSource(1, 100), WatermarkStrategy.noWatermarks(), name).getTransformation();
        if (parallelismSet) x.setParallelism(parallelism);
        break;
      case "legacy-source":
        x = Shim.legacySource(env, name);
        if (parallelismSet) x.setParallelism(parallelism);
        break;
      case "operator":
        x = operator(t, name, parallelism, inputs);
        env.addOperator(x);
        break;
      case "partition": {
        StreamPartitioner<Long> partitioner = partitioner(text(t, "partitioner"));
        x = new PartitionTransformation<>(inputs.get(0), partitioner);
        break;
      }
      case "union": x = new UnionTransformation<>(inputs); break;
      case "side-output":
        x = new SideOutputTransformation<>(inputs.get(0), new OutputTag<Long>(text(t, "tag"), Types.LONG));
        break;
      case "cache": x = new CacheTransformation<>(inputs.get(0), name); break;
      case "legacy-sink":
        x = (Transformation) Shim.legacySink(new DataStream<>(env, inputs.get(0)), name);
        if (parallelismSet) x.setParallelism(parallelism);
        break;
      default: throw new IllegalArgumentException("kind " + kind);
    }
    if (t.has("name")) x.setName(name);
    if (t.has("uid")) x.setUid(text(t, "uid"));
    if (t.has("uid_hash")) x.setUidHash(text(t, "uid_hash"));
    if (t.has("max_parallelism")) x.setMaxParallelism(t.get("max_parallelism").asInt());
    if (t.has("slot_sharing_group")) x.setSlotSharingGroup(text(t, "slot_sharing_group"));
    if (t.has("chaining")) ((PhysicalTransformation<?>) x).setChainingStrategy(strategy(t));
    return x;
  }

  static ChainingStrategy strategy(JsonNode t) {
    return ChainingStrategy.valueOf(text(t, "chaining").toUpperCase().replace('-', '_'));
  }

  Transformation<Long> operator(JsonNode t, String name, int parallelism, List<Transformation<Long>> inputs) {
    boolean keyed = t.path("keyed").asBoolean();
    if (inputs.size() == 1) {
      StreamOperatorFactory<Long> factory = t.path("yielding").asBoolean()
          ? new Shim.Yielding() : SimpleOperatorFactory.of(new StreamMap<>(new Id()));
      OneInputTransformation<Long, Long> x =
          new OneInputTransformation<>(inputs.get(0), name, factory, Types.LONG, parallelism);
      if (keyed) { x.setStateKeySelector(new Key()); x.setStateKeyType(Types.LONG); }
      return x;
    }
    if (inputs.size() == 2) {
      TwoInputTransformation<Long, Long, Long> x = new TwoInputTransformation<>(
          inputs.get(0), inputs.get(1), name, SimpleOperatorFactory.of(new CoStreamMap<>(new CoId())), Types.LONG, parallelism);
      if (keyed) { x.setStateKeySelectors(new Key(), new Key()); x.setStateKeyType(Types.LONG); }
      return x;
    }
    MultipleInputTransformation<Long> x =
        new MultipleInputTransformation<>(name, new MultiFactory(), Types.LONG, parallelism);
    for (Transformation<Long> input : inputs) x.addInput(input);
    return x;
  }

  static StreamPartitioner<Long> partitioner(String name) {
    switch (name) {
      case "forward": return new ForwardPartitioner<>();
      case "rebalance": return new RebalancePartitioner<>();
      case "rescale": return new RescalePartitioner<>();
      case "shuffle": return new ShufflePartitioner<>();
      case "broadcast": return new BroadcastPartitioner<>();
      case "global": return new GlobalPartitioner<>();
      case "hash": return new KeyGroupStreamPartitioner<>(new Key(), 128);
      case "custom": return new CustomPartitionerWrapper<>(new Part(), new Key());
      default: throw new IllegalArgumentException("partitioner " + name);
    }
  }

  // ------------------------------------------------------------------ sinks

  void sink(JsonNode t, Map<String, Transformation<Long>> known) {
    String name = t.has("name") ? text(t, "name") : text(t, "id");
    DataStream<Long> input = new DataStream<>(env, known.get(t.get("inputs").get(0).asText()));
    boolean committer = t.path("committer").asBoolean();
    boolean own = t.has("pre_write") || t.has("pre_commit") || t.has("post_commit")
        || t.path("global_committer").asBoolean() || t.has("uid_hashes");
    DataStreamSink<Long> sink;
    if (own) {
      Sink<Long> topologies = (Sink<Long>) new SinkWithTopologies(this, t, committer).proxy();
      JsonNode hashes = t.get("uid_hashes");
      if (hashes == null) sink = input.sinkTo(topologies);
      else {
        CustomSinkOperatorUidHashes.SinkOperatorUidHashesBuilder given = CustomSinkOperatorUidHashes.builder();
        if (hashes.has("writer")) given.setWriterUidHash(text(hashes, "writer"));
        if (hashes.has("committer")) given.setCommitterUidHash(text(hashes, "committer"));
        if (hashes.has("global_committer")) given.setGlobalCommitterUidHash(text(hashes, "global_committer"));
        sink = input.sinkTo(topologies, given.build());
      }
    } else sink = Shim.sink(input, committer);
    Transformation<?> placeholder = sink.getTransformation();
    sink.name(name);
    if (t.has("parallelism")) sink.setParallelism(t.get("parallelism").asInt());
    if (t.has("max_parallelism")) placeholder.setMaxParallelism(t.get("max_parallelism").asInt());
    if (t.has("uid")) sink.uid(text(t, "uid"));
    if (t.has("uid_hash")) sink.setUidHash(text(t, "uid_hash"));
    if (t.has("slot_sharing_group")) sink.slotSharingGroup(text(t, "slot_sharing_group"));
    if (t.has("chaining")) ((PhysicalTransformation<?>) placeholder).setChainingStrategy(strategy(t));
    handles.put(placeholder.getId(), text(t, "id"));
  }

  static Class<?> flinkClass(String... names) {
    for (String name : names)
      try { return Class.forName(name); } catch (ClassNotFoundException older) { continue; }
    throw new IllegalStateException("none of " + Arrays.toString(names));
  }

  static final String API = "org.apache.flink.api.connector.sink2.";
  static final String STREAMING = "org.apache.flink.streaming.api.connector.sink2.";

  static class SinkWithTopologies implements InvocationHandler, Serializable {
    final transient AskFlink program;
    final transient JsonNode t;
    final boolean committer;
    SinkWithTopologies(AskFlink program, JsonNode t, boolean committer) {
      this.program = program;
      this.t = t;
      this.committer = committer;
    }

    Object proxy() {
      List<Class<?>> types = new ArrayList<>();
      types.add(Sink.class);
      if (t.has("pre_write")) types.add(flinkClass(STREAMING + "SupportsPreWriteTopology", STREAMING + "WithPreWriteTopology"));
      if (committer) types.add(flinkClass(API + "SupportsCommitter", API + "TwoPhaseCommittingSink"));
      if (t.has("pre_commit")) types.add(flinkClass(STREAMING + "SupportsPreCommitTopology", STREAMING + "WithPreCommitTopology"));
      if (t.has("post_commit") || t.path("global_committer").asBoolean())
        types.add(flinkClass(STREAMING + "SupportsPostCommitTopology", STREAMING + "WithPostCommitTopology"));
      return Proxy.newProxyInstance(AskFlink.class.getClassLoader(), types.toArray(new Class<?>[0]), this);
    }

    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
      switch (method.getName()) {
        case "hashCode": return System.identityHashCode(proxy);
        case "equals": return proxy == args[0];
        case "toString": return "sink";
        case "addPreWriteTopology": return expand("pre_write", (DataStream) args[0]);
        case "addPreCommitTopology": return expand("pre_commit", (DataStream) args[0]);
        case "addPostCommitTopology":
          if (t.has("post_commit")) expand("post_commit", (DataStream) args[0]);
          if (t.path("global_committer").asBoolean()) globalCommitter((DataStream) args[0]);
          return null;
        default: return null;
      }
    }

    DataStream expand(String stage, DataStream stream) {
      Map<String, Transformation<Long>> inner = new HashMap<>();
      inner.put("@", stream.getTransformation());
      Map<Integer, String> outer = new HashMap<>(program.handles);
      Transformation<Long> last = program.declare(t.get(stage), inner);
      program.handles.clear(); // nodes of an expansion carry no handle
      program.handles.putAll(outer);
      return new DataStream<>(program.env, last);
    }
  }

  static void globalCommitter(DataStream<?> stream) throws Exception {
    for (Method m : Class.forName(STREAMING + "StandardSinkTopologies").getMethods())
      if (m.getName().equals("addGlobalCommitter") && m.getParameterCount() == 3) {
        m.invoke(null, stream, Nothing.as(m.getParameterTypes()[1]), (SerializableSupplier) Plain::new);
        return; // 2.x has two overloads
      }
  }

  /** Supplier of a global committer up to 2.0, function of a context later: never called before the job runs. */
  static class Nothing implements InvocationHandler, Serializable {
    static Object as(Class<?> type) {
      return Proxy.newProxyInstance(AskFlink.class.getClassLoader(), new Class<?>[] {type}, new Nothing());
    }
    public Object invoke(Object proxy, Method method, Object[] args) { return null; }
  }

  static class Plain implements SimpleVersionedSerializer<Object>, Serializable {
    public int getVersion() { return 1; }
    public byte[] serialize(Object o) { return new byte[0]; }
    public Object deserialize(int version, byte[] bytes) { return null; }
  }

  // ------------------------------------------------------------------ answer

  void answer(ObjectNode answer) throws Exception {
    declare(document.get("transformations"), new LinkedHashMap<>());
    StreamGraph graph = env.getStreamGraph(false);
    List<StreamNode> ordered = new ArrayList<>(graph.getStreamNodes());
    ordered.sort(Comparator.comparingInt(StreamNode::getId));
    Map<Integer, Integer> rank = new HashMap<>();
    for (StreamNode n : ordered) rank.put(n.getId(), rank.size());
    ArrayNode nodes = answer.putArray("nodes");
    for (StreamNode n : ordered) {
      ObjectNode o = nodes.addObject();
      o.put("node", rank.get(n.getId()));
      o.put("id", handles.get(n.getId()));
      o.put("name", n.getOperatorName());
      o.put("uid", n.getTransformationUID());
      o.put("uid_hash", n.getUserHash());
      o.put("parallelism", n.getParallelism());
      o.put("max_parallelism", (Integer) privateField(n, "maxParallelism"));
      o.put("slot_sharing_group", n.getSlotSharingGroup());
      StreamOperatorFactory<?> factory = n.getOperatorFactory();
      o.put("chaining", factory == null ? null : factory.getChainingStrategy().name().toLowerCase().replace('_', '-'));
      ArrayNode out = o.putArray("out");
      for (StreamEdge e : n.getOutEdges()) {
        ObjectNode q = out.addObject();
        q.put("to", rank.get(e.getTargetId()));
        q.put("type", e.getTypeNumber());
        q.put("partitioner", e.getPartitioner().toString());
        q.put("tag", e.getOutputTag() == null ? null : e.getOutputTag().getId());
        q.put("chainable", StreamingJobGraphGenerator.isChainable(e, graph));
      }
    }
    ArrayNode vertices = answer.putArray("vertices");
    for (JobVertex v : graph.getJobGraph().getVerticesSortedTopologicallyFromSources()) {
      ObjectNode o = vertices.addObject();
      o.put("id", v.getID().toString());
      o.put("name", v.getName());
      o.put("parallelism", v.getParallelism());
      o.put("max_parallelism", v.getMaxParallelism());
      ArrayNode operators = o.putArray("operators");
      for (OperatorIDPair pair : v.getOperatorIDs()) {
        ObjectNode q = operators.addObject();
        q.put("generated", pair.getGeneratedOperatorID().toString());
        q.put("user", pair.getUserDefinedOperatorID().map(Object::toString).orElse(null));
      }
      ArrayNode inputs = o.putArray("inputs");
      for (JobEdge e : v.getInputs()) {
        ObjectNode q = inputs.addObject();
        q.put("from", e.getSource().getProducer().getID().toString());
        q.put("ship", e.getShipStrategyName());
        q.put("pattern", e.getDistributionPattern().name());
      }
      if (!v.getOperatorCoordinators().isEmpty()) {
        ArrayNode coordinators = o.putArray("coordinators");
        for (SerializedValue<OperatorCoordinator.Provider> provider : v.getOperatorCoordinators())
          coordinators.add(provider.deserializeValue(AskFlink.class.getClassLoader()).getOperatorId().toString());
      }
    }
  }

  static Object privateField(Object o, String name) throws Exception {
    Field field = o.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(o);
  }

  static class MultiFactory extends AbstractStreamOperatorFactory<Long> {
    public <T extends StreamOperator<Long>> T createStreamOperator(StreamOperatorParameters<Long> p) {
      throw new UnsupportedOperationException();
    }
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader c) { return Multi.class; }
  }

  abstract static class Multi extends AbstractStreamOperatorV2<Long> implements MultipleInputStreamOperator<Long> {
    Multi() { super(null, 1); }
  }
}
