"""A scratch repository whose pipeline is built by a script, with a uid that only the running program knows."""

from pathlib import Path

from tests.flinks import JAVAC
from tests.scratch import Scratch

CONFIGURATION = """
parallelism = 2
[[pipeline]]
name = "orders"
main = "jobs.Orders"
flink = "1.20.5"
build = "sh build.sh"
"""
NAMES = """package jobs;
public class Names {
  public static String uid() { return "UID"; }
}
"""
ORDERS = """package jobs;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class Orders {
  public static class Count extends KeyedProcessFunction<Long, Long, Long> {
    private transient ValueState<Long> seen;
    @Override public void open(Configuration configuration) {
      seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));
    }
    @Override public void processElement(Long value, Context context, Collector<Long> out) throws Exception {
      seen.update(value);
      out.collect(value);
    }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String uid = (String) Class.forName("jobs.Names").getMethod("uid").invoke(null);
    env.fromSequence(0, 9).uid("numbers")
        .keyBy(x -> x % 3).process(new Count()).name("count").uid(uid)
        .print().uid("out");
    env.execute("orders");
  }
}
"""


def build_script(flink_jars: Path) -> str:
    """Compiles what is there into ``target/job.jar``."""
    return (
        "set -e\nmkdir -p classes target\n"
        f"{JAVAC} -cp '{flink_jars}/*' -d classes $(find src -name '*.java')\n"
        "cd classes && jar cf ../target/job.jar .\n"
    )


def orders(folder: Path, flink_jars: Path, configuration: str = CONFIGURATION) -> Scratch:
    """``v1`` with a uid in plain sight, ``v2`` with the same by reflection, and a head with another."""
    scratch = Scratch(folder)
    scratch.write("savepoint-checker.toml", configuration)
    scratch.write("build.sh", build_script(flink_jars))
    scratch.write("src/jobs/Orders.java", ORDERS.replace(".uid(uid)", '.uid("UID")'))
    scratch.write("src/jobs/Names.java", NAMES)
    scratch.commit("first")
    scratch.git("tag", "v1")
    scratch.write("src/jobs/Orders.java", ORDERS)
    scratch.commit("the uid by reflection")
    scratch.git("tag", "v2")
    scratch.write("src/jobs/Names.java", NAMES.replace("UID", "OTHER"))
    scratch.commit("another uid")
    return scratch
