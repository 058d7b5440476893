package com.acme.orders;

import org.apache.flink.api.common.functions.AggregateFunction;

/** Adds up cents. */
public class Revenue implements AggregateFunction<PaidOrder, Long, Long> {
    @Override
    public Long createAccumulator() {
        return 0L;
    }

    @Override
    public Long add(PaidOrder order, Long sum) {
        return sum + order.cents;
    }

    @Override
    public Long getResult(Long sum) {
        return sum;
    }

    @Override
    public Long merge(Long left, Long right) {
        return left + right;
    }
}
