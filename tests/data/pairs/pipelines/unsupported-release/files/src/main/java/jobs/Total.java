package jobs;
public class Total { public int n; Total(int n) { } }
