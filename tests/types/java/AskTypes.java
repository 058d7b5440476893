import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.TreeMap;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;

/**
 * Asks Flink how it writes classes, and whether the classes of a later program take what those of an earlier one wrote.
 *
 * <p>Arguments: the folder of the earlier classes, that of the later ones, and pairs {@code old=new} of class names. One
 * line a pair: old, new, type before, type after, fields before, compatibility as value, separated by tabs.
 */
public final class AskTypes {
  public static void main(String[] args) throws Exception {
    for (int i = 2; i < args.length; i++) {
      String[] pair = args[i].split("=");
      try (URLClassLoader before = loader(args[0]); URLClassLoader after = loader(args[1])) {
        TypeInformation<?> one = information(before, pair[0]);
        TypeInformation<?> other = information(after, pair[1]);
        System.out.println(String.join("\t", pair[0], pair[1], kind(one), kind(other), fields(one), answer(one, other, after)));
      }
    }
  }

  private static URLClassLoader loader(String folder) throws Exception {
    return new URLClassLoader(new URL[] {Path.of(folder).toUri().toURL()}, AskTypes.class.getClassLoader());
  }

  private static TypeInformation<?> information(ClassLoader loader, String name) throws Exception {
    return TypeExtractor.createTypeInfo((Class<?>) Class.forName(name, false, loader));
  }

  private static String kind(TypeInformation<?> information) {
    return information.getClass().getSimpleName();
  }

  private static String fields(TypeInformation<?> information) {
    if (!(information instanceof CompositeType)) {
      return "";
    }
    CompositeType<?> composite = (CompositeType<?>) information;
    TreeMap<String, String> fields = new TreeMap<>();
    for (String name : composite.getFieldNames()) {
      fields.put(name, composite.getTypeAt(composite.getFieldIndex(name)).toString());
    }
    return String.join(",", fields.keySet());
  }

  private static String answer(TypeInformation<?> one, TypeInformation<?> other, ClassLoader later) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TypeSerializerSnapshot.writeVersionedSnapshot(new DataOutputViewStreamWrapper(bytes), serializer(one).snapshotConfiguration());
    TypeSerializerSnapshot<?> read;
    try {
      read = TypeSerializerSnapshot.readVersionedSnapshot(new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes.toByteArray())), later);
    } catch (Exception | LinkageError error) {
      return "UNREADABLE " + error;
    }
    Object answer;
    try {
      answer = resolve(read, serializer(other));
    } catch (Exception error) {
      Throwable cause = error.getCause() == null ? error : error.getCause();
      return "THROWS " + cause;
    }
    return answer.toString().replaceAll("\\s+", " ").replaceAll(".*resultType=(\\w+).*", "$1");
  }

  private static TypeSerializer<?> serializer(TypeInformation<?> information) throws Exception {
    ExecutionConfig config = new ExecutionConfig();
    try {
      return (TypeSerializer<?>) TypeInformation.class.getMethod("createSerializer", ExecutionConfig.class).invoke(information, config);
    } catch (NoSuchMethodException newer) {
      Object settings = ExecutionConfig.class.getMethod("getSerializerConfig").invoke(config);
      Class<?> type = Class.forName("org.apache.flink.api.common.serialization.SerializerConfig");
      return (TypeSerializer<?>) TypeInformation.class.getMethod("createSerializer", type).invoke(information, settings);
    }
  }

  /** Flink 1.19 turned the question around: the new snapshot is asked about the old one. */
  private static Object resolve(TypeSerializerSnapshot<?> old, TypeSerializer<?> serializer) throws Exception {
    TypeSerializerSnapshot<?> now = serializer.snapshotConfiguration();
    try {
      Method newer = TypeSerializerSnapshot.class.getMethod("resolveSchemaCompatibility", TypeSerializerSnapshot.class);
      return newer.invoke(now, old);
    } catch (NoSuchMethodException older) {
      return TypeSerializerSnapshot.class.getMethod("resolveSchemaCompatibility", TypeSerializer.class).invoke(old, serializer);
    }
  }
}
