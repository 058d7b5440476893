package com.acme.visits;

public enum Dimension {
    PROVINCE,
    AGE
}
