package com.acme.orders;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/** Waits for the payment of an order, or the order of a payment. */
public class MatchPayments extends KeyedCoProcessFunction<String, Order, Payment, PaidOrder> {
    private transient ValueState<Order> order;
    private transient ValueState<Payment> payment;

    @Override
    public void open(Configuration parameters) {
        order = getRuntimeContext().getState(new ValueStateDescriptor<>("order", Order.class));
        payment = getRuntimeContext().getState(new ValueStateDescriptor<>("payment", Payment.class));
    }

    @Override
    public void processElement1(Order value, Context context, Collector<PaidOrder> out) throws Exception {
        if (payment.value() != null) {
            out.collect(PaidOrder.of(value, payment.value()));
            payment.clear();
        } else {
            order.update(value);
        }
    }

    @Override
    public void processElement2(Payment value, Context context, Collector<PaidOrder> out) throws Exception {
        if (order.value() != null) {
            out.collect(PaidOrder.of(order.value(), value));
            order.clear();
        } else {
            payment.update(value);
        }
    }
}
