package com.acme.job;

import com.acme.common.Order;
import com.acme.common.Separators;
import org.apache.flink.api.java.functions.KeySelector;

public class ByBuyer implements KeySelector<Order, String> {
    private final String prefix;

    public ByBuyer() {
        this("b");
    }

    ByBuyer(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public String getKey(Order order) {
        return prefix + Separators.DASH + order.getBuyer();
    }
}
