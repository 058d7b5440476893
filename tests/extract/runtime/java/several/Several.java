import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Runs main classes one after the other, a job called "# CLASS" before each: many captures in one JVM.
 *
 * <p>That job is one of a batch, which no cluster sets up for its states.
 */
public class Several {
  public static void main(String[] programs) throws Exception {
    for (String program : programs) {
      String[] words = program.split("\t", -1);
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      env.setRuntimeMode(RuntimeExecutionMode.BATCH);
      env.fromSequence(1, 1).print();
      env.execute("# " + words[0]);
      java.lang.reflect.Method main = Class.forName(words[0]).getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      try {
        main.invoke(null, (Object) java.util.Arrays.copyOfRange(words, 1, words.length));
      } catch (java.lang.reflect.InvocationTargetException e) {
        e.getCause().printStackTrace();
      }
    }
  }
}
