package acme;
public class Shown extends org.apache.flink.table.functions.ScalarFunction {
  public String eval(String page) { return page + "!"; }
}
