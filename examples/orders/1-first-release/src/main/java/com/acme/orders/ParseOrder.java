package com.acme.orders;

import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** Lines that are no orders go to the side output. */
public class ParseOrder extends ProcessFunction<String, Order> {
    @Override
    public void processElement(String line, Context context, Collector<Order> out) {
        try {
            out.collect(Order.parse(line));
        } catch (RuntimeException broken) {
            context.output(OrdersJob.REJECTED, line);
        }
    }
}
