import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Takes a savepoint of a small job on a MiniCluster, writes the job graphs of changed versions of it, and tries to
 * restore each of them. Arguments: a folder for savepoint and graphs, then the candidates' names. Prints a line
 * for the savepoint and one a try: candidate, flag, RESTORED or FAILED, message.
 */
public final class RestoreLab {
    private static final AtomicLong PROCESSED = new AtomicLong();

    private RestoreLab() {}

    static final class Slow implements MapFunction<Long, Long> {
        @Override
        public Long map(Long value) throws Exception {
            Thread.sleep(1);
            return value;
        }
    }

    /** Whether the job that takes the savepoint lets its state expire; the candidate ttl-switched does the opposite. */
    private static final boolean EXPIRES = Boolean.getBoolean("expires");

    /** Keeps one value a key, as long or as text. */
    static final class Total extends KeyedProcessFunction<Long, Long, Long> implements CheckpointedFunction {
        private final boolean text;
        private final boolean expires;
        private transient ValueState<Object> total;

        Total(boolean text, boolean expires) {
            this.text = text;
            this.expires = expires;
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public void initializeState(FunctionInitializationContext context) throws Exception {
            TypeInformation type = text ? Types.STRING : Types.LONG;
            ValueStateDescriptor<Object> descriptor = new ValueStateDescriptor<Object>("total", type);
            if (expires) {
                descriptor.enableTimeToLive(hours());
            }
            total = context.getKeyedStateStore().getState(descriptor);
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void processElement(Long value, Context context, Collector<Long> out) throws Exception {
            total.update(text ? (Object) ("" + value) : value);
            PROCESSED.incrementAndGet();
        }
    }

    /** Flink 2 takes a Duration, Flink 1 its own Time. */
    static StateTtlConfig hours() throws Exception {
        for (Method builder : StateTtlConfig.class.getMethods()) {
            if (builder.getName().equals("newBuilder")) {
                Class<?> type = builder.getParameterTypes()[0];
                if (type == Duration.class) {
                    return ((StateTtlConfig.Builder) builder.invoke(null, Duration.ofHours(5))).build();
                }
                if (type.getSimpleName().equals("Time")) {
                    Object time = type.getMethod("milliseconds", long.class).invoke(null, 18_000_000L);
                    return ((StateTtlConfig.Builder) builder.invoke(null, time)).build();
                }
            }
        }
        throw new IllegalStateException("StateTtlConfig has no builder");
    }

    static JobGraph job(String candidate) {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("restart-strategy", "none");
        configuration.setString("state.backend.type", System.getProperty("backend", "hashmap"));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.enableCheckpointing(3_600_000L);
        env.setParallelism(2);
        if (candidate.equals("max-parallelism")) {
            env.setMaxParallelism(64);
        }
        SingleOutputStreamOperator<Long> stream =
                env.fromSource(new NumberSequenceSource(0, Long.MAX_VALUE / 2), WatermarkStrategy.noWatermarks(), "Numbers")
                        .uid("numbers");
        if (!candidate.equals("map-removed")) {
            stream = stream.map(new Slow()).name("Slow").uid("slow");
        }
        stream = stream.keyBy(value -> value % 100, Types.LONG)
                .process(new Total(candidate.equals("state-retyped"), EXPIRES != candidate.equals("ttl-switched")), Types.LONG)
                .name("Total")
                .uid(candidate.equals("uid-renamed") ? "sum" : "total");
        stream.print().name("Out").uid("out");
        return env.getStreamGraph().getJobGraph();
    }

    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", " ") + "\"";
    }

    static String vertices(JobGraph graph) throws Exception {
        List<String> vertices = new ArrayList<>();
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            List<String> operators = new ArrayList<>();
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                String user = pair.getUserDefinedOperatorID().map(id -> quoted(id.toHexString())).orElse("null");
                operators.add("{\"generated\": " + quoted(pair.getGeneratedOperatorID().toHexString()) + ", \"user\": " + user + "}");
            }
            List<String> coordinators = new ArrayList<>();
            for (org.apache.flink.util.SerializedValue<
                            org.apache.flink.runtime.operators.coordination.OperatorCoordinator.Provider> value :
                    vertex.getOperatorCoordinators()) {
                coordinators.add(quoted(value.deserializeValue(RestoreLab.class.getClassLoader()).getOperatorId().toHexString()));
            }
            List<String> inputs = new ArrayList<>();
            for (JobEdge edge : vertex.getInputs()) {
                inputs.add("{\"from\": " + quoted(edge.getSource().getProducer().getID().toHexString())
                        + ", \"pattern\": " + quoted(edge.getDistributionPattern().name()) + "}");
            }
            vertices.add("{\"id\": " + quoted(vertex.getID().toHexString()) + ", \"name\": " + quoted(vertex.getName())
                    + ", \"parallelism\": " + vertex.getParallelism() + ", \"max_parallelism\": " + vertex.getMaxParallelism()
                    + ", \"operators\": " + operators + ", \"coordinators\": " + coordinators + ", \"inputs\": " + inputs + "}");
        }
        return "{\"vertices\": " + vertices + "}";
    }

    /** Waits until every task runs and records were processed; null, or the state in which the job ended. */
    static JobStatus settled(MiniCluster cluster, JobID id) throws Exception {
        long before = PROCESSED.get();
        long end = System.currentTimeMillis() + 90_000;
        while (System.currentTimeMillis() < end) {
            JobStatus status = cluster.getJobStatus(id).get(10, TimeUnit.SECONDS);
            if (status.isGloballyTerminalState()) {
                return status;
            }
            boolean running = status == JobStatus.RUNNING;
            if (running) {
                for (AccessExecutionJobVertex vertex : cluster.getExecutionGraph(id).get(10, TimeUnit.SECONDS).getVerticesTopologically()) {
                    for (AccessExecutionVertex task : vertex.getTaskVertices()) {
                        running &= task.getExecutionState().name().equals("RUNNING");
                    }
                }
            }
            if (running && PROCESSED.get() > before + 200) {
                return null;
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException("the job did not settle within 90 seconds");
    }

    static String rootMessage(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage());
    }

    static String attempt(MiniCluster cluster, String candidate, String savepoint, boolean allow) throws Exception {
        JobGraph graph = job(candidate);
        graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint, allow));
        JobID id = graph.getJobID();
        cluster.submitJob(graph).get(60, TimeUnit.SECONDS);
        JobStatus status = settled(cluster, id);
        if (status == null) {
            cluster.cancelJob(id).get(60, TimeUnit.SECONDS);
            cluster.requestJobResult(id).get(60, TimeUnit.SECONDS);
            return "RESTORED\t";
        }
        return status + "\t" + cluster.requestJobResult(id).get(60, TimeUnit.SECONDS).getSerializedThrowable()
                .map(failure -> rootMessage(failure.deserializeError(RestoreLab.class.getClassLoader())))
                .orElse("");
    }

    /** Flink 1.15 and newer ask for a format, older ones do not know it. */
    static String savepoint(MiniCluster cluster, JobID id, String folder) throws Exception {
        for (Method method : MiniCluster.class.getMethods()) {
            if (method.getName().equals("triggerSavepoint")) {
                Object[] arguments = method.getParameterCount() == 3
                        ? new Object[] {id, folder, true}
                        : new Object[] {id, folder, true, method.getParameterTypes()[3].getField("CANONICAL").get(null)};
                return (String) ((java.util.concurrent.Future<?>) method.invoke(cluster, arguments)).get(90, TimeUnit.SECONDS);
            }
        }
        throw new IllegalStateException("this MiniCluster takes no savepoints");
    }

    public static void main(String[] arguments) throws Exception {
        java.io.PrintStream out = System.out;
        System.setOut(System.err);
        Path folder = Paths.get(arguments[0]);
        List<String> candidates = Arrays.asList(arguments).subList(1, arguments.length);
        Configuration configuration = new Configuration();
        configuration.setString("rest.port", "0");
        configuration.setString("taskmanager.memory.managed.size", "64m");
        configuration.setString("taskmanager.memory.network.min", "32m");
        configuration.setString("taskmanager.memory.network.max", "32m");
        MiniClusterConfiguration setup = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(4)
                .build();
        try (MiniCluster cluster = new MiniCluster(setup)) {
            cluster.start();
            JobGraph graph = job("same");
            cluster.submitJob(graph).get(60, TimeUnit.SECONDS);
            JobStatus ended = settled(cluster, graph.getJobID());
            if (ended != null) {
                throw new IllegalStateException("the first job ended as " + ended);
            }
            String savepoint = savepoint(cluster, graph.getJobID(), folder.toUri().toString());
            cluster.requestJobResult(graph.getJobID()).get(60, TimeUnit.SECONDS);
            out.println("savepoint\t" + savepoint);
            for (String candidate : candidates) {
                Files.write(folder.resolve(candidate + ".json"), vertices(job(candidate)).getBytes("UTF-8"));
                for (boolean allow : new boolean[] {false, true}) {
                    String answer = attempt(cluster, candidate, savepoint, allow);
                    out.println("attempt\t" + candidate + "\t" + allow + "\t" + answer.replace("\n", " "));
                    out.flush();
                }
            }
        }
        out.flush();
        Runtime.getRuntime().halt(0);
    }
}
