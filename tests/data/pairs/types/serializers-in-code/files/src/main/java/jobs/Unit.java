package jobs;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.connector.sink2.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.core.io.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.*;
public class Unit {
  private final String name;
  public Unit(String name) { this.name = name; }
}
