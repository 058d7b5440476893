package com.acme.job;

import com.acme.common.Order;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Regions extends KeyedProcessFunction<String, Order, String> {
    private transient ValueState<Long> count;

    @Override
    public void open(OpenContext context) {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
    }

    @Override
    public void processElement(Order order, Context context, Collector<String> out) throws Exception {
        Long before = count.value();
        count.update(before == null ? 1 : before + 1);
        out.collect(context.getCurrentKey());
    }
}
