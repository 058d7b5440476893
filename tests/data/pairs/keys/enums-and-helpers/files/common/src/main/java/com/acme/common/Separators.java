package com.acme.common;

public final class Separators {
    public static final String PIPE = "|";
    public static final char DASH = '-';

    private Separators() {}
}
