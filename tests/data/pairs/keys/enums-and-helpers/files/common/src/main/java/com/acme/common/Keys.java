package com.acme.common;

public final class Keys {
    private Keys() {}

    public static String ofRegion(Order order) {
        return order.getRegion().name() + Separators.PIPE + part(order);
    }

    static String part(Order order) {
        return order.getUser();
    }
}
