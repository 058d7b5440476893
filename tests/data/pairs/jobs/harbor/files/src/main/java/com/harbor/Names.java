package com.harbor;
public final class Names {
    public static final String PREFIX = "imo-";
    public static String suffix = "-x";
    public static final String SEP;
    static { SEP = "/"; }
    public enum Area { NORTH("n"), SOUTH("s"); public final String code; Area(String code) { this.code = code; } public String code() { return code; } }
    private Names() {}
}
