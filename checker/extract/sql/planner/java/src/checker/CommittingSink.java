package checker;

import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSink;
import org.apache.flink.api.connector.sink2.TwoPhaseCommittingSink;

/**
 * A sink with writer state and a committer, as Flink 1.15 to 1.18 know it: both interfaces declare {@code createWriter}
 * with a writer of their own, so that no proxy can be of both without a method that gives what is either.
 */
@SuppressWarnings("deprecation")
public interface CommittingSink extends StatefulSink<Object, Object>, TwoPhaseCommittingSink<Object, Object> {
  @Override
  Writer createWriter(Sink.InitContext context) throws IOException;

  /** A writer that keeps state and prepares what is to be committed. */
  interface Writer
      extends StatefulSink.StatefulSinkWriter<Object, Object>,
          TwoPhaseCommittingSink.PrecommittingSinkWriter<Object, Object> {}
}
