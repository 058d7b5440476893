package jobs;
public class Rates { int n = 1; }
