package com.acme.job;

import com.acme.common.Order;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;

public class OrderSchema extends AbstractDeserializationSchema<Order> {
    @Override
    public Order deserialize(byte[] message) {
        return new Order();
    }
}
