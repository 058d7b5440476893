package com.acme.common;

public class Order {
    public String tenant;
    public String user;
    public String buyer;
    public Region region;
    public long amount;

    public Order() {}

    public String getTenant() {
        return tenant;
    }

    public String getUser() {
        return user;
    }

    public String getBuyer() {
        return buyer;
    }

    public Region getRegion() {
        return region;
    }

    public long getAmount() {
        return amount;
    }
}
