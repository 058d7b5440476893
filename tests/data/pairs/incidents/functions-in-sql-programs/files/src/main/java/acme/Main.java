package acme;

import org.apache.flink.table.api.*;
import org.apache.flink.table.functions.ScalarFunction;

public class Main {
  public static class Normal extends ScalarFunction {
    public String eval(String page) { return page.trim(); }
  }

  public static class Shown extends ScalarFunction {
    public String eval(String page) { return page + "!"; }
  }

  public static void main(String[] args) {
    TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    t.createTemporarySystemFunction("normal", Normal.class);
    t.createTemporarySystemFunction("shown", Shown.class);
    t.executeSql("CREATE TABLE clicks (page STRING, referrer STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks', "
        + "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json')");
    t.executeSql("CREATE TABLE counted (page STRING, n BIGINT) WITH ('connector' = 'print')");
    t.executeSql("INSERT INTO counted SELECT shown(page), n FROM "
        + "(SELECT normal(page) AS page, COUNT(*) AS n FROM clicks GROUP BY normal(page))");
  }
}
