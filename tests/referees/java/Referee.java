import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;
import org.apache.flink.api.common.*;
import org.apache.flink.configuration.*;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.*;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.*;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.graph.*;

/**
 * Compiles and runs Java that is sent to it, one request in JSON a line, and answers in one line each.
 *
 * <p>{@code {"folder": F, "main": C, "vectors": [[...], ...], "parallelism": P}} compiles the sources under F, runs C's main
 * once for each argument vector and gives the graph that Flink makes of the job, or the exception.
 * {@code {"folder": F, "snippets": C}} calls all static methods {@code sN()} of C and gives what they return.
 */
public class Referee {
  static final ObjectMapper JSON = new ObjectMapper();
  static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
  /** One for all programs: it keeps what it has read of the jars. */
  static final StandardJavaFileManager FILES = JAVAC.getStandardFileManager(null, null, StandardCharsets.UTF_8);

  public static void main(String[] unused) throws Exception {
    PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        answer(JSON.readTree(line), answer);
      } catch (Throwable failure) {
        answer.put("failure", failure.toString());
      }
      answers.println(JSON.writeValueAsString(answer));
    }
  }

  static void answer(JsonNode request, ObjectNode answer) throws Exception {
    Path folder = Paths.get(request.get("folder").asText());
    String errors = compile(folder);
    if (errors != null) {
      answer.put("uncompilable", errors);
      return;
    }
    ArrayNode results = answer.putArray("results");
    if (request.has("snippets")) {
      try (URLClassLoader loader = loader(folder)) {
        Class<?> type = loader.loadClass(request.get("snippets").asText());
        for (int n = 0; ; n++) {
          Method method;
          try {
            method = type.getDeclaredMethod("s" + n);
          } catch (NoSuchMethodException end) {
            return;
          }
          method.setAccessible(true);
          try {
            results.add((String) method.invoke(null));
          } catch (InvocationTargetException thrown) {
            results.add("uncaught " + thrown.getCause());
          }
        }
      }
    }
    for (JsonNode vector : request.get("vectors")) {
      String[] arguments = new String[vector.size()];
      for (int i = 0; i < arguments.length; i++) arguments[i] = vector.get(i).asText();
      results.add(run(folder, request.get("main").asText(), arguments, request.get("parallelism").asInt()));
    }
  }

  static String compile(Path folder) throws IOException {
    List<File> sources = new ArrayList<>();
    try (var files = Files.walk(folder)) {
      files.filter(f -> f.toString().endsWith(".java")).forEach(f -> sources.add(f.toFile()));
    }
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    FILES.setLocation(StandardLocation.CLASS_OUTPUT, List.of(folder.toFile()));
    List<String> options = List.of("-nowarn", "-proc:none");
    if (JAVAC.getTask(null, FILES, problems, options, null, FILES.getJavaFileObjectsFromFiles(sources)).call()) return null;
    StringBuilder text = new StringBuilder();
    for (var problem : problems.getDiagnostics())
      if (problem.getKind() == Diagnostic.Kind.ERROR)
        text.append(problem.getLineNumber()).append(": ").append(problem.getMessage(Locale.ROOT)).append('\n');
    return text.toString();
  }

  static URLClassLoader loader(Path folder) throws Exception {
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Referee.class.getClassLoader());
  }

  /** Keeps the graphs that a program would execute. */
  static class Capturing extends StreamExecutionEnvironment {
    final List<StreamGraph> graphs;

    Capturing(Configuration configuration, List<StreamGraph> graphs) {
      super(configuration);
      this.graphs = graphs;
    }

    @Override public JobExecutionResult execute(StreamGraph graph) {
      graphs.add(graph);
      return new JobExecutionResult(new JobID(), 0, Map.of());
    }

    @Override public JobClient executeAsync(StreamGraph graph) {
      graphs.add(graph);
      JobID id = new JobID();
      InvocationHandler answers = (proxy, method, arguments) -> method.getName().equals("getJobID") ? id : null;
      return (JobClient) java.lang.reflect.Proxy.newProxyInstance(JobClient.class.getClassLoader(), new Class<?>[] {JobClient.class}, answers);
    }
  }

  static ObjectNode run(Path folder, String main, String[] arguments, int parallelism) throws Exception {
    ObjectNode result = JSON.createObjectNode();
    List<StreamGraph> graphs = new ArrayList<>();
    StreamExecutionEnvironmentFactory factory = given -> {
      Configuration configuration = new Configuration();
      configuration.setString("parallelism.default", "" + parallelism);
      configuration.addAll(given);
      return new Capturing(configuration, graphs);
    };
    Method install = StreamExecutionEnvironment.class.getDeclaredMethod("initializeContextEnvironment", StreamExecutionEnvironmentFactory.class);
    install.setAccessible(true);
    install.invoke(null, factory);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = loader(folder)) {
      Thread.currentThread().setContextClassLoader(loader);
      try {
        Class.forName(main, true, loader).getMethod("main", String[].class).invoke(null, (Object) arguments);
      } catch (InvocationTargetException thrown) {
        Throwable cause = thrown.getCause();
        while (cause instanceof ExceptionInInitializerError && cause.getCause() != null) cause = cause.getCause();
        result.put("thrown", cause.toString());
        StackTraceElement[] trace = cause.getStackTrace();
        if (trace.length > 0) result.put("at", trace[0].toString());
      }
      if (graphs.isEmpty()) return result;
      result.put("jobs", graphs.size());
      ArrayNode further = result.putArray("further");
      try {
        dump(graphs.get(0), result);
        for (StreamGraph graph : graphs.subList(1, graphs.size())) dump(graph, further.addObject());
      } catch (Throwable refused) {
        result.removeAll();
        result.put("refused", refused.toString());
      }
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    return result;
  }

  static void dump(StreamGraph graph, ObjectNode result) {
    Map<Integer, Integer> rank = new TreeMap<>();
    for (StreamNode node : graph.getStreamNodes()) rank.put(node.getId(), 0);
    int place = 0;
    for (var entry : rank.entrySet()) entry.setValue(place++);
    ArrayNode nodes = result.putArray("nodes"), edges = result.putArray("edges"), vertices = result.putArray("vertices");
    for (int id : rank.keySet()) {
      StreamNode node = graph.getStreamNode(id);
      ObjectNode row = nodes.addObject();
      row.put("name", node.getOperatorName());
      row.put("uid", node.getTransformationUID());
      row.put("uid_hash", node.getUserHash());
      row.put("parallelism", node.getParallelism());
      for (StreamEdge edge : node.getOutEdges()) {
        ArrayNode link = edges.addArray().add(rank.get(edge.getSourceId())).add(rank.get(edge.getTargetId()));
        link.add(edge.getTypeNumber()).add(edge.getPartitioner().toString().split("_FOR")[0]);
        link.add(edge.getOutputTag() == null ? null : edge.getOutputTag().getId());
      }
    }
    for (JobVertex vertex : graph.getJobGraph().getVertices()) {
      ArrayNode row = vertices.addArray().add(vertex.getID().toHexString()).add(vertex.getName());
      ArrayNode operators = row.addArray();
      for (OperatorIDPair pair : vertex.getOperatorIDs()) operators.add(pair.getGeneratedOperatorID().toHexString());
    }
  }
}
