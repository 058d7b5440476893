package b;
public class Ids { public static final int SLOTS = 2; }