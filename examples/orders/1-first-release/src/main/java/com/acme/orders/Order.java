package com.acme.orders;

/** One line of the topic {@code orders}: {@code id;product;cents}. */
public class Order {
    public String id;
    public String product;
    public long cents;

    public static Order parse(String line) {
        String[] parts = line.split(";");
        Order order = new Order();
        order.id = parts[0];
        order.product = parts[1];
        order.cents = Long.parseLong(parts[2]);
        return order;
    }
}
