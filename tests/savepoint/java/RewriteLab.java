import java.io.Serializable;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Takes snapshots of a job with every kind of state, and starts the same job under other uids from what it is given.
 * A start processes no record: the savepoint that it takes holds what it got. Arguments: a folder. Commands on stdin:
 * {@code take NAME KIND CONFIGURATION} and {@code start NAME PATH CONFIGURATION PREFIX}; answers on stdout.
 */
public final class RewriteLab {
    private static final AtomicLong LAST_RECORD = new AtomicLong();
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String IN_FILES = "state.storage.fs.memory-threshold=0b,"
            + "execution.checkpointing.data-inline-threshold=0b,state.changelog.storage=filesystem,"
            + "state.backend.changelog.storage=filesystem,dstl.dfs.base-path=file:";

    private RewriteLab() {}

    /** A split and how much of it was read. */
    static final class Part implements SourceSplit, Serializable {
        private final int id;
        private int position;

        Part(int id, int position) {
            this.id = id;
            this.position = position;
        }

        @Override
        public String splitId() {
            return "part-" + id;
        }
    }

    /** Two splits, of which each start of the job reads some more numbers; then it ends, or waits. */
    static final class Numbers implements Source<Long, Part, Integer>, ResultTypeQueryable<Long> {
        private final int more;
        private final boolean ends;

        Numbers(int more, boolean ends) {
            this.more = more;
            this.ends = ends;
        }

        @Override
        public Boundedness getBoundedness() {
            return ends ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
        }

        @Override
        public TypeInformation<Long> getProducedType() {
            return Types.LONG;
        }

        @Override
        public SplitEnumerator<Part, Integer> createEnumerator(SplitEnumeratorContext<Part> context) {
            return new Parts(context, 0, ends);
        }

        @Override
        public SplitEnumerator<Part, Integer> restoreEnumerator(SplitEnumeratorContext<Part> context, Integer given) {
            return new Parts(context, given, ends);
        }

        @Override
        public SourceReader<Long, Part> createReader(SourceReaderContext context) {
            return new Reader(more, ends);
        }

        @Override
        public SimpleVersionedSerializer<Part> getSplitSerializer() {
            return new Bytes<Part>() {
                @Override
                public byte[] serialize(Part part) {
                    return ByteBuffer.allocate(8).putInt(part.id).putInt(part.position).array();
                }

                @Override
                public Part deserialize(int version, byte[] data) {
                    return new Part(ByteBuffer.wrap(data).getInt(), ByteBuffer.wrap(data).getInt(4));
                }
            };
        }

        @Override
        public SimpleVersionedSerializer<Integer> getEnumeratorCheckpointSerializer() {
            return new Bytes<Integer>() {
                @Override
                public byte[] serialize(Integer given) {
                    return ByteBuffer.allocate(4).putInt(given).array();
                }

                @Override
                public Integer deserialize(int version, byte[] data) {
                    return ByteBuffer.wrap(data).getInt();
                }
            };
        }
    }

    abstract static class Bytes<T> implements SimpleVersionedSerializer<T> {
        @Override
        public int getVersion() {
            return 1;
        }
    }

    static final class Parts implements SplitEnumerator<Part, Integer> {
        private final SplitEnumeratorContext<Part> context;
        private final ArrayDeque<Part> left = new ArrayDeque<>();
        private final boolean ends;
        private int given;

        Parts(SplitEnumeratorContext<Part> context, int given, boolean ends) {
            this.context = context;
            this.given = given;
            this.ends = ends;
        }

        @Override
        public void start() {
            while (given < 2) {
                left.add(new Part(given++, 0));
            }
        }

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Part> parts, int subtask) {
            left.addAll(parts);
        }

        @Override
        public void addReader(int subtask) {
            if (!left.isEmpty()) {
                context.assignSplit(left.poll(), subtask);
            }
            if (ends) {
                context.signalNoMoreSplits(subtask);
            }
        }

        @Override
        public Integer snapshotState(long checkpoint) {
            return given;
        }

        @Override
        public void close() {}
    }

    static final class Reader implements SourceReader<Long, Part> {
        private final List<Part> parts = new ArrayList<>();
        private final Map<Integer, Integer> limits = new HashMap<>();
        private final int more;
        private final boolean ends;
        private boolean last;
        private CompletableFuture<Void> available = new CompletableFuture<>();

        Reader(int more, boolean ends) {
            this.more = more;
            this.ends = ends;
        }

        @Override
        public void start() {}

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            for (Part part : parts) {
                if (part.position < limits.get(part.id)) {
                    output.collect(part.id * 1000L + part.position++);
                    LAST_RECORD.set(System.currentTimeMillis());
                    return InputStatus.MORE_AVAILABLE;
                }
            }
            if (ends && last) {
                return InputStatus.END_OF_INPUT;
            }
            available = new CompletableFuture<>();
            return InputStatus.NOTHING_AVAILABLE;
        }

        @Override
        public List<Part> snapshotState(long checkpoint) {
            List<Part> copies = new ArrayList<>();
            parts.forEach(part -> copies.add(new Part(part.id, part.position)));
            return copies;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return available;
        }

        @Override
        public void addSplits(List<Part> added) {
            for (Part part : added) {
                parts.add(part);
                limits.put(part.id, part.position + more);
            }
            available.complete(null);
        }

        @Override
        public void notifyNoMoreSplits() {
            last = true;
            available.complete(null);
        }

        @Override
        public void close() {}
    }

    static final class Sum implements AggregateFunction<Long, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Long value, Long sum) {
            return value + sum;
        }

        @Override
        public Long getResult(Long sum) {
            return sum;
        }

        @Override
        public Long merge(Long left, Long right) {
            return left + right;
        }
    }

    /** Every kind of keyed state, and timers of both times. */
    static final class Keyed extends KeyedProcessFunction<Long, Long, Long> implements CheckpointedFunction {
        private transient ValueState<String> value;
        private transient ListState<Long> list;
        private transient MapState<String, Long> map;
        private transient ReducingState<Long> reducing;
        private transient AggregatingState<Long, Long> aggregating;

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            KeyedStateStore store = context.getKeyedStateStore();
            value = store.getState(new ValueStateDescriptor<>("value", Types.STRING));
            list = store.getListState(new ListStateDescriptor<>("list", Types.LONG));
            map = store.getMapState(new MapStateDescriptor<>("map", Types.STRING, Types.LONG));
            reducing = store.getReducingState(new ReducingStateDescriptor<>("reducing", Long::sum, Types.LONG));
            aggregating = store.getAggregatingState(new AggregatingStateDescriptor<>("aggregating", new Sum(), Types.LONG));
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
            value.update("last " + number);
            list.add(number);
            map.put("number " + number % 3, number);
            reducing.add(number);
            aggregating.add(number);
            context.timerService().registerEventTimeTimer(10_000_000_000L + number);
            context.timerService().registerProcessingTimeTimer(9_000_000_000_000L + number);
            out.collect(number);
        }
    }

    /** One of two operators whose states have one shape and other values. */
    static final class Twin extends KeyedProcessFunction<Long, Long, Long> implements CheckpointedFunction {
        private final long factor;
        private transient ValueState<Long> total;

        Twin(long factor) {
            this.factor = factor;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            total = context.getKeyedStateStore().getState(new ValueStateDescriptor<>("total", Types.LONG));
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
            total.update((total.value() == null ? 0 : total.value()) + factor * number);
        }
    }

    /** State of operators: a list, one that everybody gets, and one that is the same everywhere. */
    static final class Lists implements MapFunction<Long, Long>, CheckpointedFunction {
        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            ListState<String> list = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("olist", Types.STRING));
            ListState<Long> union = context.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("ounion", Types.LONG));
            BroadcastState<String, Long> rules = context.getOperatorStateStore()
                    .getBroadcastState(new MapStateDescriptor<>("rules", Types.STRING, Types.LONG));
            if (!context.isRestored()) {
                for (int i = 0; i < 3; i++) {
                    list.add("entry " + NUMBER.incrementAndGet());
                    union.add((long) NUMBER.incrementAndGet());
                    rules.put("rule " + i, (long) i);
                }
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public Long map(Long number) {
            return number;
        }
    }

    /** Flink 2 takes a Duration where Flink 1 takes its own Time. */
    @SuppressWarnings("unchecked")
    static WindowAssigner<Object, TimeWindow> windows(Class<?> assigner, String factory) throws Exception {
        for (Method method : assigner.getMethods()) {
            if (method.getName().equals(factory) && method.getParameterCount() == 1) {
                Class<?> type = method.getParameterTypes()[0];
                if (type == Duration.class || type.getSimpleName().equals("Time")) {
                    Object length = type == Duration.class ? Duration.ofHours(1) : type.getMethod("hours", long.class).invoke(null, 1L);
                    return (WindowAssigner<Object, TimeWindow>) method.invoke(null, length);
                }
            }
        }
        throw new IllegalStateException(assigner + " has no " + factory);
    }

    static JobGraph job(Path folder, String configured, String prefix, int more) throws Exception {
        Configuration configuration = configuration(configured);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.enableCheckpointing(3_600_000L);
        env.setParallelism(2);
        DataStream<Long> numbers = env.fromSource(new Numbers(more, false), WatermarkStrategy.noWatermarks(), "Numbers")
                .uid(prefix + "numbers");
        DataStream<Long> mapped = numbers.map(new Lists()).returns(Types.LONG).name("Lists").uid(prefix + "lists")
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Long>forMonotonousTimestamps().withTimestampAssigner((n, t) -> n))
                .uid(prefix + "timestamps");
        KeyedStream<Long, Long> keyed = mapped.keyBy(n -> n % 5, Types.LONG);
        FileSink<String> files = FileSink
                .forRowFormat(new org.apache.flink.core.fs.Path(folder.resolve("files").toUri()), new SimpleStringEncoder<String>("UTF-8"))
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build();
        keyed.process(new Keyed(), Types.LONG).name("Keyed").uid(prefix + "keyed")
                .map(n -> "row " + n).returns(Types.STRING).name("Rows").uid(prefix + "rows")
                .sinkTo(files).name("Files").uid(prefix + "files");
        keyed.process(new Twin(1), Types.LONG).name("Left").uid(prefix + "left");
        keyed.process(new Twin(1000), Types.LONG).name("Right").uid(prefix + "right");
        keyed.window(windows(TumblingEventTimeWindows.class, "of")).aggregate(new Sum()).name("Hours").uid(prefix + "hours");
        keyed.window(windows(EventTimeSessionWindows.class, "withGap")).reduce(Long::sum).name("Sessions").uid(prefix + "sessions");
        env.fromSource(new Numbers(more, true), WatermarkStrategy.noWatermarks(), "Ends").uid(prefix + "ends")
                .rebalance().map(n -> n).returns(Types.LONG).name("After").uid(prefix + "after");
        return env.getStreamGraph().getJobGraph();
    }

    static Configuration configuration(String text) {
        Configuration configuration = new Configuration();
        for (String pair : (text + ",restart-strategy.type=none,restart-strategy=none").split(",")) {
            if (pair.contains("=")) {
                configuration.setString(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
            }
        }
        return configuration;
    }

    static String root(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage()).replace('\n', ' ').replace('\t', ' ');
    }

    /** Waits until every task runs (or has ended) and no record came for a while; an error where the job fails. */
    static void settled(MiniCluster cluster, JobID id, boolean ended) throws Exception {
        long end = System.currentTimeMillis() + 120_000;
        LAST_RECORD.set(System.currentTimeMillis());
        while (System.currentTimeMillis() < end) {
            JobStatus status = cluster.getJobStatus(id).get(30, TimeUnit.SECONDS);
            if (status.isGloballyTerminalState()) {
                throw new IllegalStateException(root(cluster.requestJobResult(id).get().getSerializedThrowable().get()
                        .deserializeError(RewriteLab.class.getClassLoader())));
            }
            boolean quiet = status == JobStatus.RUNNING && System.currentTimeMillis() - LAST_RECORD.get() > 700;
            if (quiet) {
                for (AccessExecutionJobVertex vertex : cluster.getExecutionGraph(id).get(30, TimeUnit.SECONDS).getVerticesTopologically()) {
                    boolean bounded = vertex.getName().contains("Ends") || vertex.getName().contains("After");
                    for (AccessExecutionVertex task : vertex.getTaskVertices()) {
                        String state = task.getExecutionState().name();
                        quiet &= state.equals("FINISHED") || (state.equals("RUNNING") && !(ended && bounded));
                    }
                }
            }
            if (quiet) {
                return;
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException("the job did not settle within two minutes");
    }

    static String take(MiniCluster cluster, Path folder, JobGraph graph, String kind) throws Exception {
        JobID id = graph.getJobID();
        cluster.submitJob(graph).get(60, TimeUnit.SECONDS);
        try {
            return taken(cluster, folder, id, kind);
        } catch (ExecutionException failure) {
            settled(cluster, id, false); // says why the job failed, where it did
            throw failure;
        } finally {
            if (!cluster.getJobStatus(id).get(30, TimeUnit.SECONDS).isGloballyTerminalState()) {
                cluster.cancelJob(id).get(60, TimeUnit.SECONDS);
            }
            cluster.requestJobResult(id).get(60, TimeUnit.SECONDS);
        }
    }

    /** A task that just ends declines. */
    static String patiently(Supplier<CompletableFuture<String>> trigger) throws Exception {
        for (int tries = 0; ; tries++) {
            try {
                return trigger.get().get(90, TimeUnit.SECONDS);
            } catch (ExecutionException failure) {
                if (tries == 5) {
                    throw failure;
                }
                Thread.sleep(500);
            }
        }
    }

    static String taken(MiniCluster cluster, Path folder, JobID id, String kind) throws Exception {
        settled(cluster, id, false);
        patiently(() -> cluster.triggerCheckpoint(id)); // only then tasks that are done count as finished
        settled(cluster, id, true);
        if (kind.equals("checkpoint")) {
            return patiently(() -> cluster.triggerCheckpoint(id));
        }
        SavepointFormatType format = kind.equals("native") ? SavepointFormatType.NATIVE : SavepointFormatType.CANONICAL;
        return patiently(() -> cluster.triggerSavepoint(id, folder.toUri().toString(), true, format));
    }

    static MiniCluster cluster(String more) throws Exception {
        Configuration configuration = configuration(
                "rest.port=0,taskmanager.memory.managed.size=96m,taskmanager.memory.network.min=32m,taskmanager.memory.network.max=32m," + more);
        MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(4).build());
        cluster.start();
        return cluster;
    }

    public static void main(String[] arguments) throws Exception {
        java.io.PrintStream out = System.out;
        System.setOut(System.err);
        Path folder = Paths.get(arguments[0]);
        Map<String, MiniCluster> clusters = new HashMap<>();
        Scanner commands = new Scanner(System.in);
        while (commands.hasNextLine()) {
            String[] words = commands.nextLine().split("\t", -1);
            String answer;
            try {
                boolean first = words[0].equals("take");
                String configured = words[3].replace("@", folder.toUri().getPath());
                String inFiles = configured.contains("inline") ? "" : IN_FILES + folder.resolve("dstl");
                inFiles += configured.contains("file-merging") ? ",execution.checkpointing.file-merging.enabled=true" : "";
                if (!clusters.containsKey(inFiles)) {
                    clusters.put(inFiles, cluster(inFiles));
                }
                JobGraph graph = first
                        ? job(folder, configured, "", 12)
                        : job(folder, configured, words[4], 0);
                if (!first) {
                    graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(words[2], false));
                }
                String path = take(clusters.get(inFiles), folder, graph, first ? words[2] : "canonical");
                answer = "path\t" + Paths.get(URI.create(path));
            } catch (Exception failure) {
                answer = "failed\t" + root(failure);
            }
            out.println(words[1] + "\t" + answer);
            out.flush();
        }
        Runtime.getRuntime().halt(0);
    }
}
