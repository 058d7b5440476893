package app;
import java.util.*;
public class Order {
  public String id;
  public String region;
  public int a;
  public int b;
  public Buyer buyer;
  public Iterator<String> parts;
  public String getId() { return id; }
  public String getRegion() { return region; }
  public String getCode() { return id.trim(); }
  public String kind() { return region; }
  public int getA() { return a; }
  public String label() { return id + "-" + region; }
}
