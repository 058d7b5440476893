// flink: 2.
package golden;

import java.util.Collection;
import java.util.Collections;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

class OwnSinks {
    static class Writer implements CommittingSinkWriter<Long, String> {
        @Override
        public void write(Long element, Context context) {}

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public Collection<String> prepareCommit() {
            return Collections.emptyList();
        }

        @Override
        public void close() {}
    }

    static class Plain implements Sink<Long> {
        @Override
        public SinkWriter<Long> createWriter(WriterInitContext context) {
            return new Writer();
        }
    }

    static class Committing extends Plain implements SupportsCommitter<String> {
        @Override
        public Committer<String> createCommitter(CommitterInitContext context) {
            return null;
        }

        @Override
        public SimpleVersionedSerializer<String> getCommittableSerializer() {
            return null;
        }
    }

    static class Spreading extends Plain implements SupportsPreWriteTopology<Long> {
        @Override
        public DataStream<Long> addPreWriteTopology(DataStream<Long> input) {
            return input.rebalance().map(x -> x).name("spread");
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9);
        numbers.sinkTo(new Plain());
        numbers.sinkTo(new Committing()).uid("committing");
        numbers.sinkTo(new Spreading()).name("spreading");
        env.execute();
    }
}
