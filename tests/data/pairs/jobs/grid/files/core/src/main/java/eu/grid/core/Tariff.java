package eu.grid.core;
public enum Tariff { DAY, NIGHT, PEAK }
