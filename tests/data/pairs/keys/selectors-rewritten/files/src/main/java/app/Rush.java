package app;
public class Rush extends Order {
  @Override public String kind() { return id; }
}
