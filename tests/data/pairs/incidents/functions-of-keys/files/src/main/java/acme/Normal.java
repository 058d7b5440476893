package acme;
public class Normal extends org.apache.flink.table.functions.ScalarFunction {
  public String eval(String page) { return Texts.normal(page); }
}
