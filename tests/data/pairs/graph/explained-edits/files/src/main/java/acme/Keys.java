package acme;
class Keys {
  static String of(String x) { return x.trim(); }
  static String other(String x) { return x; }
}
