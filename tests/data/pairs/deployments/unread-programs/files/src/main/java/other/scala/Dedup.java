package other.scala;
public class Dedup { int n = 1; }
