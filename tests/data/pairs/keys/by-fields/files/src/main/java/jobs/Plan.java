package jobs;

public class Plan {
  public String name;
}
