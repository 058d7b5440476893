package com.acme.common;

import java.util.Objects;

/** The key of an order. */
public final class OrderKey {
    private final String tenant;
    private final String user;

    public OrderKey(String tenant, String user) {
        this.tenant = tenant;
        this.user = user;
    }

    public String tenant() {
        return tenant;
    }

    @Override
    public boolean equals(Object o) {
        if (!(o instanceof OrderKey)) {
            return false;
        }
        OrderKey that = (OrderKey) o;
        return tenant.equals(that.tenant) && user.equals(that.user);
    }

    @Override
    public int hashCode() {
        return Objects.hash(tenant, user);
    }
}
