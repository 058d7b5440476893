package com.acme.job;

import com.acme.common.Money;
import com.acme.common.Order;
import com.acme.common.OrderKey;
import com.acme.common.StateNames;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Totals extends KeyedProcessFunction<OrderKey, Order, String> {
    private transient ValueState<Money> total;
    private transient ListState<Long> recent;

    @Override
    public void open(OpenContext context) {
        total = getRuntimeContext().getState(new ValueStateDescriptor<>(StateNames.TOTAL, Money.class));
        recent = getRuntimeContext().getListState(new ListStateDescriptor<>("recent", Long.class));
    }

    @Override
    public void processElement(Order order, Context context, Collector<String> out) throws Exception {
        Money money = total.value();
        long cents = money == null ? 0 : money.cents();
        total.update(new Money("EUR", cents + order.getAmount()));
        recent.add(order.getAmount());
        out.collect(order.getUser());
    }
}
