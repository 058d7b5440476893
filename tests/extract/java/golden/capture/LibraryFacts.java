import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Prints what role each public class in Flink's own jars plays: one class a line, followed by the marker interfaces that
 * decide the shape of its operators. Arguments: jars, which must also be on the class path.
 */
public final class LibraryFacts {
    private static final String F = "org.apache.flink.";
    private static final List<String> SINK2 = Arrays.asList("streaming.api.connector.sink2.With%sTopology",
            "streaming.api.connector.sink2.Supports%sTopology");

    private LibraryFacts() {}

    private static boolean is(Class<?> type, String... names) {
        for (String name : names) {
            try {
                if (Class.forName(F + name, false, LibraryFacts.class.getClassLoader()).isAssignableFrom(type)) {
                    return true;
                }
            } catch (ClassNotFoundException e) {
                // this version has no such interface
            }
        }
        return false;
    }

    private static String roles(Class<?> type) {
        String functions = "streaming.api.functions.";
        StringBuilder found = new StringBuilder();
        if (is(type, functions + "source.SourceFunction", functions + "source.legacy.SourceFunction")) {
            boolean parallel = is(type, functions + "source.ParallelSourceFunction",
                    functions + "source.legacy.ParallelSourceFunction");
            found.append(parallel ? " legacy-source parallel" : " legacy-source");
        }
        if (is(type, "api.connector.source.Source")) {
            found.append(" source");
        }
        if (is(type, functions + "sink.SinkFunction", functions + "sink.legacy.SinkFunction")) {
            found.append(" legacy-sink");
        }
        if (is(type, "api.connector.sink2.Sink")) {
            found.append(" sink");
        }
        if (is(type, "api.connector.sink2.TwoPhaseCommittingSink", "api.connector.sink2.SupportsCommitter")) {
            found.append(" committer");
        }
        if (is(type, "api.connector.sink2.StatefulSink", "api.connector.sink2.SupportsWriterState")) {
            found.append(" writer-state");
        }
        for (String stage : Arrays.asList("PreWrite", "PreCommit", "PostCommit")) {
            if (is(type, String.format(SINK2.get(0), stage), String.format(SINK2.get(1), stage))) {
                found.append(' ').append(stage);
            }
        }
        return found.toString();
    }

    public static void main(String[] jars) throws Exception {
        TreeSet<String> lines = new TreeSet<>();
        for (String jar : jars) {
            try (JarFile file = new JarFile(jar)) {
                for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                    String path = entries.nextElement().getName();
                    if (!path.startsWith("org/apache/flink/") || !path.endsWith(".class") || path.contains("/table/")) {
                        continue;
                    }
                    try {
                        String name = path.substring(0, path.length() - 6).replace('/', '.');
                        Class<?> type = Class.forName(name, false, LibraryFacts.class.getClassLoader());
                        String roles = roles(type);
                        if (Modifier.isPublic(type.getModifiers()) && !type.isInterface() && !roles.isEmpty()) {
                            lines.add(name + roles);
                        }
                    } catch (LinkageError | ClassNotFoundException e) {
                        // a class whose optional dependency is not in the distribution
                    }
                }
            }
        }
        lines.forEach(System.out::println);
    }
}
