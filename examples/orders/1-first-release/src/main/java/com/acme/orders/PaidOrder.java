package com.acme.orders;

/** An order whose payment has arrived. */
public class PaidOrder {
    public String id;
    public String product;
    public long cents;
    public long paidAt;

    public static PaidOrder of(Order order, Payment payment) {
        PaidOrder paid = new PaidOrder();
        paid.id = order.id;
        paid.product = order.product;
        paid.cents = order.cents;
        paid.paidAt = payment.time;
        return paid;
    }

    public String toLine() {
        return id + ";" + product + ";" + cents + ";" + paidAt;
    }
}
