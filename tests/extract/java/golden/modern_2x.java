// flink: 2.
package golden;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;
import org.apache.flink.streaming.api.functions.source.legacy.RichParallelSourceFunction;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.util.ParameterTool;

class MovedSource implements SourceFunction<Long> {
    @Override
    public void run(SourceContext<Long> ctx) {}

    @Override
    public void cancel() {}
}

class MovedParallelSource extends RichParallelSourceFunction<Long> {
    @Override
    public void run(SourceContext<Long> ctx) {}

    @Override
    public void cancel() {}
}

class MovedInterfaces {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.addSource(new MovedSource()).map(x -> x).print();
        env.addSource(new MovedParallelSource()).addSink(new SinkFunction<Long>() {});
        env.execute();
    }
}

class AsyncState {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KeyedStream<Long, Long> keyed = env.fromSequence(1, 9).keyBy(x -> x % 3).enableAsyncState();
        keyed.reduce(Long::sum).print();
        env.execute();
    }
}

class ParametersOfTwo {
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, parameters.getLong("to", 9));
        if (parameters.getBoolean("filter", false)) {
            numbers = numbers.filter(x -> x > 1).uid(parameters.getRequired("uid"));
        }
        numbers.print();
        env.execute();
    }
}
// arguments ParametersOfTwo: --filter true --uid chosen
