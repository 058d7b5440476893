package com.acme.orders;

/** One line of the topic {@code payments}: {@code orderId;time}. */
public class Payment {
    public String orderId;
    public long time;

    public static Payment parse(String line) {
        String[] parts = line.split(";");
        Payment payment = new Payment();
        payment.orderId = parts[0];
        payment.time = Long.parseLong(parts[1]);
        return payment;
    }
}
