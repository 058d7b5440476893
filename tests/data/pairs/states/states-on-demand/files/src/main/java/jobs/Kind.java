package jobs;
public enum Kind { SHORT, LONG }
