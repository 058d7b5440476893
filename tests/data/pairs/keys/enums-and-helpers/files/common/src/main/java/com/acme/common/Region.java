package com.acme.common;

public enum Region {
    EU("eu"), US("us"), APAC("ap");

    private final String code;

    Region(String code) {
        this.code = code;
    }

    public String code() {
        return code;
    }
}
