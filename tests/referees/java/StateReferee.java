import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
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
 * Restores edited programs from savepoints of the programs before the edit. Each line of the input names two folders
 * of classes with a main class Job; each line of the output gives Flink's verdict: RESTORED, EMPTY (restored, and the
 * program finds none of its state), FAILED or REFUSED (no savepoint could be taken of the first program), and why.
 */
public final class StateReferee {
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
    static String compiled(Path folder) {
        java.io.ByteArrayOutputStream said = new java.io.ByteArrayOutputStream();
        int status = javax.tools.ToolProvider.getSystemJavaCompiler().run(null, said, said, "-proc:none", "-nowarn", "-cp",
                System.getProperty("java.class.path"), "-d", folder.toString(), folder.resolve("Job.java").toString());
        return status == 0 ? null : said.toString();
    }

    static JobGraph graph(Path classes, String backend) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("restart-strategy", "none");
        configuration.setString("state.backend.type", backend);
        configuration.setString("parallelism.default", "1");
        configuration.setString("execution.checkpointing.interval", "1h");
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

    static String verdict(MiniCluster cluster, Path base, Path head, Path folder, String backend) throws Exception {
        for (Path one : new Path[] {base, head}) {
            String said = compiled(one);
            if (said != null) {
                return "UNCOMPILABLE\t" + said;
            }
        }
        JobGraph first;
        JobGraph second;
        try {
            first = graph(base, backend);
        } catch (Throwable failure) {
            return "REFUSED\t" + root(failure);
        }
        cluster.submitJob(first).get(60, TimeUnit.SECONDS);
        JobStatus ended = settled(cluster, first.getJobID(), 60);
        if (ended != null) {
            return "REFUSED\t" + cluster.requestJobResult(first.getJobID()).get(60, TimeUnit.SECONDS).getSerializedThrowable()
                    .map(failure -> root(failure.deserializeError(StateReferee.class.getClassLoader()))).orElse("" + ended);
        }
        String savepoint = cluster.triggerSavepoint(first.getJobID(), folder.toUri().toString(), true, SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        cluster.requestJobResult(first.getJobID()).get(60, TimeUnit.SECONDS);
        Probe.reset();
        try {
            second = graph(head, backend);
        } catch (Throwable failure) {
            return "FAILED\t" + root(failure);
        }
        second.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint, false));
        cluster.submitJob(second).get(60, TimeUnit.SECONDS);
        ended = settled(cluster, second.getJobID(), 60);
        if (ended == null) {
            cluster.cancelJob(second.getJobID()).get(60, TimeUnit.SECONDS);
            cluster.requestJobResult(second.getJobID()).get(60, TimeUnit.SECONDS);
            boolean asked = Probe.FOUND.get() + Probe.MISSED.get() > 0;
            return (asked && Probe.FOUND.get() == 0 ? "EMPTY" : "RESTORED") + "\tfound " + Probe.FOUND.get() + ", missed " + Probe.MISSED.get();
        }
        return "FAILED\t" + cluster.requestJobResult(second.getJobID()).get(60, TimeUnit.SECONDS).getSerializedThrowable()
                .map(failure -> root(failure.deserializeError(StateReferee.class.getClassLoader()))).orElse("" + ended);
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
                    Probe.reset();
                    verdict = verdict(cluster, Paths.get(parts[0] + "/"), Paths.get(parts[1] + "/"), folder, parts[2]);
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
