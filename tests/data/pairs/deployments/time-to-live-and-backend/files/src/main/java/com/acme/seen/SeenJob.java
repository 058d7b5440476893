package com.acme.seen;

import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class SeenJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(0, Long.MAX_VALUE).uid("numbers").keyBy(n -> n % 10).process(new Seen()).uid("seen").print().uid("out");
        env.execute("seen");
    }

    public static class Seen extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Long> last;

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Long> descriptor = new ValueStateDescriptor<>("last", Types.LONG);
            last = getRuntimeContext().getState(descriptor);
        }

        @Override
        public void processElement(Long value, Context context, Collector<Long> out) throws Exception {
            last.update(value);
        }
    }
}
