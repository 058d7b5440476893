import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.util.StringUtils;

/**
 * Runs the main method of each class named on standard input (a line: class, tab, arguments separated by tabs) up to
 * its first execute call, and prints the graph that Flink built as one JSON object a line. First argument: the default
 * parallelism.
 */
public final class Capture extends StreamExecutionEnvironment {
    private static final class Captured extends Error {
        private final transient StreamGraph graph;

        Captured(StreamGraph graph) {
            super(null, null, false, false);
            this.graph = graph;
        }
    }

    private Capture(Configuration configuration) {
        super(configuration);
    }

    @Override
    public JobExecutionResult execute(StreamGraph graph) {
        throw new Captured(graph);
    }

    @Override
    public JobClient executeAsync(StreamGraph graph) {
        throw new Captured(graph);
    }

    public static void main(String[] args) throws Exception {
        int parallelism = Integer.parseInt(args[0]);
        initializeContextEnvironment(
                configuration -> {
                    Configuration own = new Configuration(configuration);
                    if (!own.toMap().containsKey("parallelism.default")) {
                        own.setString("parallelism.default", String.valueOf(parallelism));
                    }
                    Capture environment = new Capture(own);
                    environment.configure(own, Thread.currentThread().getContextClassLoader());
                    return environment;
                });
        PrintStream out = System.out;
        System.setOut(System.err);
        for (String line : new String(System.in.readAllBytes(), "UTF-8").split("\n")) {
            String[] fields = line.split("\t");
            if (fields[0].isEmpty()) {
                continue;
            }
            String[] given = new String[fields.length - 1];
            System.arraycopy(fields, 1, given, 0, given.length);
            out.println(capture(fields[0], given));
        }
        out.flush();
        System.exit(0);
    }

    private static String capture(String name, String[] args) {
        String error;
        try {
            Method main = Class.forName(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) args);
            error = "execute was never called";
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            while (cause.getCause() != null && !(cause instanceof Captured)) {
                cause = cause.getCause();
            }
            if (cause instanceof Captured) {
                try {
                    return "{\"main\": " + text(name) + ", " + graph(((Captured) cause).graph) + "}";
                } catch (Exception refused) {
                    cause = refused;
                }
            }
            error = cause.toString();
        } catch (ReflectiveOperationException | LinkageError e) {
            error = e.toString();
        }
        return "{\"main\": " + text(name) + ", \"error\": " + text(error) + "}";
    }

    private static String graph(StreamGraph graph) throws Exception {
        Map<Integer, byte[]> hashes = new StreamGraphHasherV2().traverseStreamGraphAndGenerateHashes(graph);
        List<StreamNode> nodes = new ArrayList<>(graph.getStreamNodes());
        nodes.sort(Comparator.comparingInt(StreamNode::getId));
        Map<Integer, Integer> rank = new HashMap<>();
        nodes.forEach(node -> rank.put(node.getId(), rank.size()));
        List<String> nodeTexts = new ArrayList<>();
        List<String> edgeTexts = new ArrayList<>();
        for (StreamNode node : nodes) {
            Method max = StreamNode.class.getDeclaredMethod("getMaxParallelism");
            max.setAccessible(true);
            nodeTexts.add(
                    "{\"node\": " + rank.get(node.getId())
                            + ", \"name\": " + text(node.getOperatorName())
                            + ", \"uid\": " + text(node.getTransformationUID())
                            + ", \"uid_hash\": " + text(node.getUserHash())
                            + ", \"operator_id\": " + text(StringUtils.byteToHexString(hashes.get(node.getId())))
                            + ", \"parallelism\": " + node.getParallelism()
                            + ", \"max_parallelism\": " + max.invoke(node)
                            + ", \"slot_sharing_group\": " + text(node.getSlotSharingGroup())
                            + ", \"chaining\": "
                            + (node.getOperatorFactory() == null
                                    ? "null"
                                    : text(node.getOperatorFactory().getChainingStrategy().name()))
                            + "}");
            for (StreamEdge edge : node.getOutEdges()) {
                String tag = edge.getOutputTag() == null ? null : edge.getOutputTag().getId();
                edgeTexts.add(
                        "[" + rank.get(edge.getSourceId()) + ", " + rank.get(edge.getTargetId()) + ", "
                                + edge.getTypeNumber() + ", " + text(edge.getPartitioner().toString()) + ", "
                                + text(tag) + "]");
            }
        }
        List<String> vertexTexts = new ArrayList<>();
        for (JobVertex vertex : graph.getJobGraph().getVerticesSortedTopologicallyFromSources()) {
            List<String> operators = new ArrayList<>();
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                operators.add(text(pair.getGeneratedOperatorID().toString()));
            }
            vertexTexts.add("[" + text(vertex.getID().toString()) + ", " + text(vertex.getName()) + ", " + operators + "]");
        }
        return "\"nodes\": " + nodeTexts + ", \"edges\": " + edgeTexts + ", \"vertices\": " + vertexTexts;
    }

    private static String text(String value) {
        if (value == null) {
            return "null";
        }
        StringBuilder json = new StringBuilder("\"");
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
