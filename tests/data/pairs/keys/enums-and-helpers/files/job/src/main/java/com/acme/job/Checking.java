package com.acme.job;

import com.acme.common.Order;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

public class Checking extends KeyedBroadcastProcessFunction<String, Order, Rule, String> {
    private transient ValueState<Long> seen;

    @Override
    public void open(OpenContext context) {
        seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));
    }

    @Override
    public void processElement(Order order, ReadOnlyContext context, Collector<String> out) throws Exception {
        Rule rule = context.getBroadcastState(Rule.DESCRIPTOR).get(order.getBuyer());
        seen.update(rule == null ? 0L : rule.limit);
        context.output(OrdersJob.LATE, order.getUser());
    }

    @Override
    public void processBroadcastElement(Rule rule, Context context, Collector<String> out) throws Exception {
        context.getBroadcastState(Rule.DESCRIPTOR).put(rule.name, rule);
    }
}
