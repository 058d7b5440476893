package org.apache.flink.python.util;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableConfig;

/** The options of Python for an operator, which no stand-in reads. The planner asks for them by name. */
public final class PythonConfigUtil {
  private PythonConfigUtil() {}

  public static Configuration extractPythonConfiguration(ReadableConfig config) {
    return new Configuration();
  }

  /** As Flink 1.16 and 1.17 call it. */
  public static Configuration extractPythonConfiguration(List<?> cached, ReadableConfig config) {
    return new Configuration();
  }

  /** As Flink 1.13 and 1.14 call it. */
  public static Configuration getMergedConfig(StreamExecutionEnvironment env, TableConfig config) {
    return new Configuration();
  }
}
