"""SQL and the Table API inside of programs: Java, PyFlink and scripts that say the same have the same operators."""

import json
from pathlib import Path

import pytest

from checker.compare import compare_pipelines
from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.findings import Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Unknown
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_programs import plan_programs
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import asked, jars_of
from tests.referees.table_programs import Case, read, verdict

pytestmark = [pytest.mark.flink, pytest.mark.usefixtures("_one_planner")]

ORDERS = (
    "CREATE TABLE orders (id BIGINT, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
    " WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json')"
)
TOTALS = "CREATE TABLE totals (id BIGINT, total INT) WITH ('connector' = 'print')"
JAVA = """package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import static org.apache.flink.table.api.Expressions.*;
public class Job {
  public static void main(String[] args) throws Exception {
    %s
  }
}
"""


@pytest.fixture(autouse=True)
def _jars() -> None:
    jars_of("1.20.5")


def planned(*programs: tuple[str, str, int], flink: str = "1.20.5") -> list[Topology]:
    """(file, text, index of the job) → topologies, all planned in one go."""
    files = MemoryFiles({path: text.encode() for path, text, _ in programs})
    entries = [
        PipelineEntry(
            name=f"{path} {index}", file=path, main=path if path.endswith(".py") else None, index=index, flink=flink,
            extract=ExtractorKind.PYTHON if path.endswith(".py") else ExtractorKind.JAVA,
        )
        for path, _, index in programs
    ]  # fmt: skip
    side = SideToRead(name="head", files=files, entries=entries)
    read = {pipeline.name: pipeline for pipeline in plan_programs([side], Execution(fetch=False))["head"]}
    topologies = [read[entry.name].topology for entry in entries]
    return [pipeline for pipeline in topologies if pipeline is not None]


def script(text: str) -> ReadPipeline:
    entry = PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql", flink="1.20.5")
    side = SideToRead(name="head", files=MemoryFiles({"job.sql": text.encode()}), entries=[entry])
    return plan_scripts([side], Execution(fetch=False))["head"][0]


RECORDED = [
    Case(**json.loads(line))
    for name in ("table_programs.jsonl", "pyflink_mixed_programs.jsonl")
    for line in (Path(__file__).with_name("data") / name).read_text("utf-8").splitlines()
]
"""Jobs of ``tests.referees.table_programs --seed 5000``, and scripts of streams and tables that PyFlink ran, with the
chains that Flink 1.20.5 gave them."""


def test_recorded_programs_have_the_ids_and_chains_that_flink_gave_them() -> None:
    planned = read(RECORDED, "1.20.5")
    found = {case.name: verdict(case, planned.get(case.name)) for case in RECORDED}
    assert {name: answer for name, answer in found.items() if answer[0] != "exact"} == {}


def ids(topology: Topology | None) -> list[str | None]:
    assert topology is not None
    return [identity.generated for identity in translate(topology).identities]


def holes(topology: Topology) -> list[str]:
    return [t.unknown.reason for t in topology.transformations if t.kind is Kind.UNKNOWN and t.unknown is not None]


def test_catalogs_that_a_program_makes_are_those_of_sql() -> None:
    orders, totals = (text.replace("TABLE ", "TABLE lake.shop.") for text in (ORDERS, TOTALS))
    insert = "INSERT INTO lake.shop.totals SELECT id, SUM(amount) FROM lake.shop.orders GROUP BY id"
    java = f"""TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    t.registerCatalog("lake", new org.apache.flink.table.catalog.hive.HiveCatalog("lake", "shop", args[0]));
    t.executeSql("{orders}"); t.executeSql("{totals}"); t.executeSql("{insert}");"""
    python = f"""from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.catalog import HiveCatalog
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.register_catalog("lake", HiveCatalog("lake", "shop", "/conf"))
t.execute_sql("{orders}")
t.execute_sql("{totals}")
t.execute_sql("{insert}")
"""
    topologies = planned(("Job.java", JAVA % java, 0), ("job.py", python, 0))
    of_script = script(f"CREATE CATALOG lake WITH ('type' = 'hive');\n{orders};\n{totals};\n{insert};\n").topology
    assert of_script is not None
    wanted = [identity.generated for identity in translate(of_script).identities]
    assert all(wanted)
    for topology in topologies:
        assert [identity.generated for identity in translate(topology).identities] == wanted


def test_an_option_that_an_argument_switches_on_leaves_the_plan_known() -> None:
    option = """'" + (args[0] != null ? ", 'properties.sasl.mechanism' = '" + args[0] + "'" : "") + ")"""
    program = (
        JAVA
        % f"""TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        t.executeSql("{ORDERS.removesuffix("')")}{option}");
        t.executeSql("{TOTALS}");
        t.executeSql("INSERT INTO totals SELECT id, amount FROM orders");"""
    )
    (job,) = planned(("Job.java", program, 0))
    assert not holes(job)


def test_the_type_that_a_factory_of_the_program_makes_is_not_known() -> None:
    order = """@TypeInfo(Job.Factory.class) public static class Order { public java.time.LocalDateTime at; }
    public static class Factory extends TypeInfoFactory<Order> {
        public TypeInformation<Order> createTypeInfo(java.lang.reflect.Type t,
                java.util.Map<String, TypeInformation<?>> of) {
            return Types.POJO(Order.class, java.util.Map.of("at", Types.LOCAL_DATE_TIME));
        }
    }
    public static void main("""
    program = (
        JAVA
        % """StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment t = StreamTableEnvironment.create(env, EnvironmentSettings.newInstance().build());
        t.executeSql("CREATE TABLE days (`at` TIMESTAMP(3)) WITH ('connector' = 'blackhole')");
        t.fromDataStream(env.fromElements(new Order())).executeInsert("days");"""
    ).replace("public static void main(", order, 1)
    program = program.replace("import ", "import org.apache.flink.api.common.typeinfo.*;\nimport ", 1)
    (job,) = planned(("Job.java", program, 0))
    (reason,) = holes(job)
    assert "@TypeInfo" in reason
    assert reason.count("@TypeInfo") == 1


def test_a_topic_that_is_not_known_leaves_the_plan_known_a_format_its_table_and_a_connector_nothing() -> None:
    def job(option: str, argument: int = 0) -> str:
        table = ORDERS.replace(f"'{option}'", f"'\" + args[{argument}] + \"'")
        return (
            JAVA
            % f"""TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        t.executeSql("{table}");
        t.executeSql("{TOTALS}");
        t.executeSql("INSERT INTO totals SELECT id, amount FROM orders");"""
        )

    topic, connector, first, again, second = planned(
        ("topic/Job.java", job("orders"), 0),
        ("connector/Job.java", job("kafka"), 0),
        ("format/Job.java", job("json"), 0),
        ("again/Job.java", job("json"), 0),
        ("second/Job.java", job("json", 1), 0),
    )
    assert not holes(topic)
    assert holes(connector)
    assert holes(first) == ["unknown format of table orders: cannot tell which changes its rows are"]
    assert first.transformations[0].unknown == again.transformations[0].unknown != second.transformations[0].unknown


def test_the_number_of_a_collecting_sink_does_not_count_what_other_programs_made() -> None:
    program = f"""from pyflink.table import EnvironmentSettings, TableEnvironment
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.execute_sql("{ORDERS}")
t.from_path("orders").execute().collect()
"""
    first, second = planned(
        ("first.py", program, 0), ("second.py", program.replace("'orders'", "'paid'"), 0), flink="2.3.0"
    )
    assert not holes(first)
    assert "tableCollectSink_" in str(first.transformations[-1].uid)
    assert first.transformations[-1].uid == second.transformations[-1].uid


@pytest.mark.parametrize("flink", asked("1.14.6"))
def test_a_temporary_table_is_made_by_its_stand_in_in_flink_1_14(flink: str) -> None:
    jars_of(flink)
    program = """from pyflink.table import *
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
columns = Schema.new_builder().column("k", DataTypes.STRING()).build()
orders = TableDescriptor.for_connector("kafka").schema(columns).option("topic", "a").format("json").build()
t.create_temporary_table("orders", orders)
t.create_temporary_table("s", TableDescriptor.for_connector("print").schema(columns).build())
t.from_path("orders").execute_insert("s").wait()
"""
    (job,) = planned(("job.py", program, 0), flink=flink)
    assert not holes(job)
    assert isinstance(job.transformations[0].state, tuple)


@pytest.mark.parametrize("flink", asked("1.13.6"))
def test_a_stream_of_a_table_is_planned_by_flink_1_13(flink: str) -> None:
    program = (
        JAVA
        % f"""StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment t = StreamTableEnvironment.create(env);
        t.executeSql("{ORDERS}");
        t.toChangelogStream(t.from("orders")).print();
        env.execute();"""
    )
    (job,) = planned(("Job.java", program, 0), flink=flink)
    assert not holes(job)


def test_a_table_in_a_text_is_the_table_that_flink_knows_by_the_name_there() -> None:
    java = (
        JAVA
        % f"""TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        t.executeSql("{ORDERS}");
        t.executeSql("{TOTALS}");
        Table large = t.from("orders").where($("amount").isGreater(5));
        Table totals = t.sqlQuery(String.format("SELECT id, SUM(amount) AS total FROM %s GROUP BY id", large));
        Table same = t.sqlQuery("SELECT * FROM " + totals.toString());
        t.executeSql("INSERT INTO totals SELECT * FROM " + same);"""
    )
    python = f"""from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.execute_sql("{ORDERS}")
t.execute_sql("{TOTALS}")
large = t.from_path("orders").where(col("amount") > 5)
totals = t.sql_query("SELECT id, SUM(amount) AS total FROM %s GROUP BY id" % large)
same = t.sql_query("SELECT * FROM " + str(totals))
more = t.sql_query("SELECT * FROM {{}}".format(same))
t.execute_sql(f"INSERT INTO totals SELECT * FROM {{more}}")
"""
    text = f"{ORDERS};\n{TOTALS};\nINSERT INTO totals SELECT id, SUM(amount) FROM orders WHERE amount > 5 GROUP BY id;"
    from_java, from_python = planned(("Job.java", java, 0), ("job.py", python, 0))
    assert ids(from_java) == ids(from_python) == ids(script(text).topology)


def test_a_topic_that_is_filled_in_leaves_the_statement_known() -> None:
    options = ORDERS.replace("'orders'", "'{0}', 'properties.bootstrap.servers' = 'localhost:9092'")
    in_python = (
        "table.format(sys.argv[1])",
        'table.replace("{0}", "%s") % sys.argv[1]',
    )
    in_java = (
        'table.replace("{0}", args[0]).replace("localhost", System.getenv("BROKER"))',
        r'table.replaceAll("\\{0\\}", args[0])',
    )
    python = f"""import sys
from pyflink.table import EnvironmentSettings, TableEnvironment
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set_local_timezone("Asia/Tokyo")
table = '''{options}'''
t.execute_sql(FILLED)
t.execute_sql("{TOTALS}")
t.execute_sql("INSERT INTO totals SELECT id, amount FROM orders")
"""
    java = (
        JAVA
        % f"""TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        String table = "{options}";
        t.executeSql(FILLED);
        t.executeSql("{TOTALS}");
        t.executeSql("INSERT INTO totals SELECT id, amount FROM orders");"""
    )
    programs = {f"{n}.py": python.replace("FILLED", filled) for n, filled in enumerate(in_python)}
    programs |= {f"{n}/Job.java": java.replace("FILLED", filled) for n, filled in enumerate(in_java)}
    jobs = planned(*((path, text, 0) for path, text in programs.items()))
    assert {path: holes(job) for path, job in zip(programs, jobs, strict=True)} == {path: [] for path in programs}


EVENT = """package a;
public class Event {
  public long id;
  public int amount;
}
"""
SCHEMA = """package a;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
public class EventSchema implements DeserializationSchema<Event> {
  public Event deserialize(byte[] message) { return null; }
  public boolean isEndOfStream(Event event) { return false; }
  public TypeInformation<Event> getProducedType() { return %s; }
}
"""


def test_a_stream_from_a_connector_has_the_type_that_its_schema_produces() -> None:
    source = (
        JAVA
        % """StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment t = StreamTableEnvironment.create(env);
        org.apache.flink.connector.kafka.source.KafkaSource<Event> source =
            org.apache.flink.connector.kafka.source.KafkaSource.<Event>builder().setTopics("events")
                .setValueOnlyDeserializer(new EventSchema()).build();
        t.createTemporaryView("events", env.fromSource(source,
            org.apache.flink.api.common.eventtime.WatermarkStrategy.noWatermarks(), "events"));
        t.createTable("totals", TableDescriptor.forConnector("kafka").option("topic", args[0])
            .schema(Schema.newBuilder().column("id", "BIGINT").column("n", "INT").build())
            .format("debezium-json").build());
        t.executeSql("INSERT INTO totals SELECT id, SUM(amount) FROM events GROUP BY id");"""
    )
    sides = []
    for name, produced in (("known", "TypeInformation.of(Event.class)"), ("open", "EventTypes.choose()")):
        texts = {"Job.java": source, "Event.java": EVENT, "EventSchema.java": SCHEMA % produced}
        files = MemoryFiles({path: text.encode() for path, text in texts.items()})
        entry = PipelineEntry(name="Job", file="Job.java", flink="1.20.5", extract=ExtractorKind.JAVA)
        sides.append(SideToRead(name=name, files=files, entries=[entry]))
    read = plan_programs(sides, Execution(fetch=False))
    known, open_ = (read[side][0].topology for side in ("known", "open"))
    assert known is not None
    assert open_ is not None
    assert not holes(known)
    assert any("type of the elements" in why for why in holes(open_))


def test_a_function_in_python_without_known_types_leaves_only_what_calls_it_undecided() -> None:
    python = f'''import sys
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import ScalarFunction, udf
@udf(result_type=sys.argv[1])
def half(number):
    return number // 2
class Twice(ScalarFunction):
    def is_deterministic(self):
        return False
    def eval(self, number):
        return 2 * number
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.create_temporary_function("half", half)
t.create_temporary_function("twice", udf(Twice(), result_type=DataTypes.BIGINT()))
t.execute_sql("{ORDERS}")
t.execute_sql("{TOTALS}")
t.execute_sql("INSERT INTO totals SELECT id, SUM(amount) FROM orders GROUP BY id")
t.execute_sql("INSERT INTO totals SELECT twice(id), SUM(amount) FROM orders GROUP BY twice(id)")
t.from_path("orders").select(half(col("id")), col("amount")).execute_insert("totals")
'''
    plain, by_name, in_expression = planned(("job.py", python, 0), ("job.py", python, 1), ("job.py", python, 2))
    assert not holes(plain)
    assert ["in Python" in why for why in [*holes(by_name), *holes(in_expression)]] == [True, True]


ROW_TYPE = "DataTypes.ROW([DataTypes.FIELD('id', DataTypes.BIGINT()), DataTypes.FIELD('data', DataTypes.STRING())])"


ELEMENTS = {
    "[(1, 'Hi'), (2, None)], ['id', 'data']": True,
    f"[Row(1, 'Hi')], {ROW_TYPE}": True,
    f"[row(1, 'Hi')], {ROW_TYPE}": True,
    "[(1, 'Hi'), (2.5, 'Hello')], ['id', 'data']": False,
    "load(), ['id', 'data']": False,
}
"""What a table is made from, and whether its columns are known."""


def test_objects_of_a_script_are_a_table_of_the_columns_that_pyflink_infers() -> None:
    python = """from library import load
from pyflink.table import DataTypes, EnvironmentSettings, TableConfig, TableEnvironment, Row
from pyflink.table.expressions import col, row
config = TableConfig()
config.set("table.exec.state.ttl", "1 h")
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().add_configuration(config.get_configuration())
t.execute_sql("CREATE TABLE s (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka')")
table = t.from_elements(ELEMENTS)
table.group_by(col("data")).select(col("data"), col("id").sum).execute_insert("s")
"""
    jobs = planned(*((f"{n}.py", python.replace("ELEMENTS", text), 0) for n, text in enumerate(ELEMENTS)))
    for (elements, known), job in zip(ELEMENTS.items(), jobs, strict=True):
        assert (not holes(job)) == known, elements
        states = {s.name: s.expiry for node in job.transformations if isinstance(node.state, tuple) for s in node.state}
        assert not known or states["accState"] is not None, elements


def test_windows_over_rows_are_windows_of_javas_tables() -> None:
    python = f"""from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import UNBOUNDED_RANGE, col
from pyflink.table.window import Over
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.execute_sql("{ORDERS}")
t.execute_sql("{TOTALS}")
over = Over.partition_by(col("id")).order_by(col("ts")).preceding(UNBOUNDED_RANGE).alias("w")
t.from_path("orders").over_window(over).select(col("id"), col("amount").max.over(col("w"))).execute_insert("totals")
"""
    (job,) = planned(("job.py", python, 0))
    assert not holes(job)
    assert "OverAggregate" in {node.id for node in job.transformations}


def test_the_parallelism_of_the_environment_is_that_of_its_tables() -> None:
    program = f'''from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(%s)
t = StreamTableEnvironment.create(stream_execution_environment=env)
t.execute_sql("{ORDERS}")
t.execute_sql("{TOTALS}")
t.execute_sql("INSERT INTO totals SELECT id, amount FROM orders")
'''
    asked = (1, 3)  # 3 is also what stands for a default that nobody says
    topologies = planned(*((f"job{parallelism}.py", program % parallelism, 0) for parallelism in asked))
    for parallelism, topology in zip(asked, topologies, strict=True):
        assert {node.parallelism for node in translate(topology).node_by_key.values()} == {parallelism}


CHAINED = """import os
from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment
c = Configuration()
if %s:
    c.set_boolean("pipeline.operator-chaining.enabled", %s)
settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(c).build()
t = TableEnvironment.create(settings)
t.execute_sql("CREATE TABLE numbers (a INT, b BIGINT) WITH ('connector' = 'datagen')")
t.execute_sql("CREATE TABLE sums (a INT, b BIGINT) WITH ('connector' = 'print')")
t.execute_sql("INSERT INTO sums SELECT a, SUM(b) FROM numbers GROUP BY a")
"""


CONDITIONS = {
    ('os.path.isfile("/etc/flink/unchained")', False): True,
    ('os.path.isfile( "/etc/flink/unchained" )', False): True,
    ('os.path.isfile("/etc/flink/chained")', False): False,
    ('not os.path.isfile("/etc/flink/unchained")', False): False,
    ('os.path.isfile("/etc/flink/unchained")', True): False,
}
"""A condition and what it sets; whether that is the same as the first."""


def test_an_option_of_the_job_that_a_condition_sets_is_not_known() -> None:
    jobs = planned(*((f"{place}.py", CHAINED % condition, 0) for place, condition in enumerate(CONDITIONS)))
    before = jobs[0]
    assert isinstance(before.chaining, Unknown)
    for (condition, same), after in zip(CONDITIONS.items(), jobs, strict=True):
        aggregated = next(
            row
            for row in compare_pipelines("job", translate(before), translate(after)).operators
            if row.base is not None and str(row.base.key) == "GroupAggregate"
        )
        assert ({found.verdict for found in aggregated.verdicts} == {Verdict.RESTORES}) is same, condition
