import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * Takes savepoints of programs and starts edited ones from them. Each line of the input names a folder with Job.java, a
 * state backend, and to start it a savepoint; each line of the output gives Flink's verdict: TAKEN (and where), RESTORED,
 * EMPTY (restored, and the program finds none of its state), FAILED or REFUSED (no savepoint could be taken), and why.
 */
public final class StateReferee {
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    /** Shared by all programs: the jars on the class path are opened once. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);
    private static volatile StreamGraph built;

    private StateReferee() {}

    static final class Capturing extends StreamExecutionEnvironment {
        Capturing(Configuration configuration, ClassLoader loader) {
            super(configuration, loader);
        }

        @Override
        public JobExecutionResult execute(StreamGraph graph) {
            built = graph;
            return null;
        }

        static void become(Configuration configuration, ClassLoader loader) {
            initializeContextEnvironment(ignored -> new Capturing(configuration, loader));
        }
    }

    /** Compiles Job.java in a folder; null, or what the compiler says. */
    static String compiled(Path folder) throws Exception {
        StringWriter said = new StringWriter();
        FILES.setLocation(StandardLocation.CLASS_OUTPUT, Collections.singleton(folder.toFile()));
        boolean done = COMPILER.getTask(said, FILES, null, Arrays.asList("-proc:none", "-nowarn"), null,
                FILES.getJavaFileObjects(folder.resolve("Job.java").toFile())).call();
        return done ? null : said.toString();
    }

    /** The graph of a compiled program; a file beside it holds what it is deployed with. */
    static JobGraph graph(Path classes, String backend) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("restart-strategy", "none");
        configuration.setString("state.backend.type", backend);
        configuration.setString("parallelism.default", "1");
        configuration.setString("execution.checkpointing.interval", "1h");
        for (String line : Files.readAllLines(classes.resolve("configuration"))) {
            configuration.setString(line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2));
        }
        URL url = classes.toUri().toURL();
        URLClassLoader loader = new URLClassLoader(new URL[] {url}, StateReferee.class.getClassLoader());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            built = null;
            Capturing.become(configuration, loader);
            loader.loadClass("Job").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            JobGraph graph = built.getJobGraph();
            graph.setClasspaths(Collections.singletonList(url));
            return graph;
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** Null once every task runs and the source has given some elements; else how the job ended. */
    static JobStatus settled(MiniCluster cluster, JobID id, long elements) throws Exception {
        long begin = Probe.ELEMENTS.get();
        long end = System.currentTimeMillis() + 60_000;
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
            if (running && Probe.ELEMENTS.get() > begin + elements) {
                return null;
            }
            Thread.sleep(20);
        }
        throw new IllegalStateException("the job did not settle");
    }

    static String root(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        return (last.getClass().getSimpleName() + ": " + last.getMessage()).replaceAll("\\s+", " ");
    }

    static String why(MiniCluster cluster, JobGraph graph, JobStatus ended) throws Exception {
        return cluster.requestJobResult(graph.getJobID()).get(60, TimeUnit.SECONDS).getSerializedThrowable()
                .map(failure -> root(failure.deserializeError(StateReferee.class.getClassLoader()))).orElse("" + ended);
    }

    /** Runs a program for a while: into a folder for its savepoint, or from a savepoint. */
    static String verdict(MiniCluster cluster, Path program, String backend, Path into, String from) throws Exception {
        String said = compiled(program);
        if (said != null) {
            return "UNCOMPILABLE\t" + said;
        }
        String refused = from == null ? "REFUSED\t" : "FAILED\t";
        JobGraph graph;
        Probe.reset();
        try {
            graph = graph(program, backend);
        } catch (Throwable failure) {
            return refused + root(failure);
        }
        if (from != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(from, false));
        }
        cluster.submitJob(graph).get(60, TimeUnit.SECONDS);
        JobStatus ended = settled(cluster, graph.getJobID(), 60);
        if (ended != null) {
            return refused + why(cluster, graph, ended);
        }
        if (from == null) {
            String savepoint = cluster.triggerSavepoint(graph.getJobID(), into.toUri().toString(), true,
                    SavepointFormatType.CANONICAL).get(60, TimeUnit.SECONDS);
            cluster.requestJobResult(graph.getJobID()).get(60, TimeUnit.SECONDS);
            return "TAKEN\t" + savepoint;
        }
        cluster.cancelJob(graph.getJobID()).get(60, TimeUnit.SECONDS);
        cluster.requestJobResult(graph.getJobID()).get(60, TimeUnit.SECONDS);
        boolean asked = Probe.FOUND.get() + Probe.MISSED.get() > 0;
        return (asked && Probe.FOUND.get() == 0 ? "EMPTY" : "RESTORED") + "\tfound " + Probe.FOUND.get() + ", missed " + Probe.MISSED.get();
    }

    public static void main(String[] arguments) throws Exception {
        java.io.PrintStream out = System.out;
        System.setOut(System.err);
        Configuration configuration = new Configuration();
        configuration.setString("rest.port", "0");
        configuration.setString("taskmanager.memory.managed.size", "64m");
        configuration.setString("taskmanager.memory.network.min", "32m");
        configuration.setString("taskmanager.memory.network.max", "32m");
        configuration.setString("classloader.resolve-order", "child-first");
        MiniClusterConfiguration setup = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(4).build();
        try (MiniCluster cluster = new MiniCluster(setup)) {
            cluster.start();
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split("\t");
                Path folder = Files.createTempDirectory(Paths.get(arguments[0]), "savepoint");
                String verdict;
                try {
                    verdict = verdict(cluster, Paths.get(parts[0] + "/"), parts[1], folder, parts.length > 2 ? parts[2] : null);
                } catch (Throwable failure) {
                    verdict = "UNSETTLED\t" + root(failure);
                }
                out.println(verdict.replace("\n", " "));
                out.flush();
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
