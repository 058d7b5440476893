package jobs;
public class Main { public static void main(String[] a) { acme.Flink.start(a); } }
