package org.apache.flink.python;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/** The two options of PyFlink that the planner reads. */
public final class PythonOptions {
  public static final ConfigOption<Boolean> USE_MANAGED_MEMORY =
      ConfigOptions.key("python.fn-execution.memory.managed").booleanType().defaultValue(true);
  public static final ConfigOption<String> PYTHON_EXECUTION_MODE =
      ConfigOptions.key("python.execution-mode").stringType().defaultValue("process");

  private PythonOptions() {}
}
