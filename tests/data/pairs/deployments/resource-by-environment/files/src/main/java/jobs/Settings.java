package jobs;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

public class Settings {
  private static final Properties ALL = new Properties();

  static {
    try (InputStream in = Settings.class.getClassLoader().getResourceAsStream(name())) {
      ALL.load(in);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static String name() {
    String stage = System.getProperty("STAGE");
    return stage == null || stage.isEmpty() ? "local.properties" : stage + ".properties";
  }

  static String get(String key) {
    return ALL.getProperty(key);
  }
}
