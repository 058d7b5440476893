package app;
public final class Keys {
  static final String SEP = "-";
  static final String OTHER = "_";
  static int calls;
  private Keys() { }
  public static String of(Order o) { return o.getId() + SEP + o.region; }
  public static String pair(String x, String y) { return x + SEP + y; }
  static String trimmed(String s) { if (s == null) { return "none"; } return s.trim(); }
  static String wide(long x) { return "" + x / 2; }
  static String real(double x) { return "" + x; }
  static String counted(Order o) { calls++; return o.id + calls; }
}
