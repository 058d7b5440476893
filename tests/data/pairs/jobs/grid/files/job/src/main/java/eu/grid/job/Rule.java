package eu.grid.job;
public class Rule { public String feeder; public double limit; public boolean on; public Rule() {} }
