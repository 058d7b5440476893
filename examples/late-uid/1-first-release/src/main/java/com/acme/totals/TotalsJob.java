package com.acme.totals;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Adds up numbers by their last digit. */
public final class TotalsJob {
    private TotalsJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 1_000_000_000L)
                .map(TotalsJob::slowly)
                .keyBy(number -> number % 10)
                .process(new Total())
                .name("totals")
                .print();
        env.execute("totals");
    }

    static long slowly(long number) throws Exception {
        Thread.sleep(5);
        return number;
    }

    static final class Total extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Long> total;

        @Override
        public void open(OpenContext context) {
            total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Long.class));
        }

        @Override
        public void processElement(Long value, Context context, Collector<Long> out) throws Exception {
            Long before = total.value();
            total.update(before == null ? value : before + value);
        }
    }
}
