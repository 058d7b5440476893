package com.acme.orders;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Remembers every order id it has seen. Losing this state means charging people twice. */
public class DropDuplicates extends KeyedProcessFunction<String, Order, Order> {
    private transient ValueState<Boolean> seen;

    @Override
    public void open(Configuration parameters) {
        seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Boolean.class));
    }

    @Override
    public void processElement(Order order, Context context, Collector<Order> out) throws Exception {
        if (seen.value() == null) {
            seen.update(true);
            out.collect(order);
        }
    }
}
