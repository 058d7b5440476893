package app;
public class Plain { int n = 2; }
