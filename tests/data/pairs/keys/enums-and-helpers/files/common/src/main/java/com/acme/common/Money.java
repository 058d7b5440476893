package com.acme.common;

public record Money(String currency, long cents) {}
