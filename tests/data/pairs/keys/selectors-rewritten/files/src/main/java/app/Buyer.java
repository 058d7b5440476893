package app;
public class Buyer {
  public String name;
  public String getName() { return name; }
}
