package com.acme.common;

public interface StateNames {
    String TOTAL = "total";
    String RULES = "rules";
    String UID_TOTALS = "totals";
    String UID_REGIONS = "regions";
    int VERSION = 1;
}
