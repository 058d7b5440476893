package org.apache.flink.core.execution;

import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;

/**
 * Stands before Flink's class of this name on the class path: every environment that a program makes itself (local,
 * remote) asks it for an executor, and gets the one that records the graph instead of running it.
 */
public class DefaultExecutorServiceLoader implements PipelineExecutorServiceLoader {

  /** Set before the program starts. */
  public static volatile PipelineExecutorServiceLoader recorder;

  @Override
  public PipelineExecutorFactory getExecutorFactory(Configuration configuration) throws Exception {
    return recorder.getExecutorFactory(configuration);
  }

  @Override
  public Stream<String> getExecutorNames() {
    return recorder.getExecutorNames();
  }
}
