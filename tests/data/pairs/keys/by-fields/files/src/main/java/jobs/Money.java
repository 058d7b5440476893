package jobs;

public class Money {
  public String currency;
  public long cents;
}
