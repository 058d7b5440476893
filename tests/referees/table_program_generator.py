"""Random programs of SQL, the Table API and streams, in Java and, where streams have no part in them, in PyFlink."""

from dataclasses import dataclass, field
from random import Random

MAIN = "a.Job"
_HEAD = """package a;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.*;
import org.apache.flink.types.Row;
import static org.apache.flink.table.api.Expressions.*;

public class Job {
  public static class Event { public long k; public Integer v; public String s; public Event() {} }
  public static void main(String[] args) throws Exception {
"""
_PYTHON_HEAD = """from pyflink.table import *
from pyflink.table.expressions import col, lit, call
from pyflink.table.window import Tumble, Slide, Session

"""


@dataclass
class Source:
    """A table or view of columns k, v, s, and ts where it has a time."""

    name: str
    timed: bool


@dataclass
class Generator:
    """One program for each seed. ``lines`` are pairs of a statement in Java and in PyFlink."""

    seed: int
    random: Random = field(init=False)
    lines: list[tuple[str, str | None]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{prefix}{self.count}"

    def say(self, java: str, python: str | None = None) -> None:
        """One statement."""
        self.lines.append((java, python))

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random.random() < share

    def programs(self) -> tuple[str, str | None]:
        """The program in Java, and in PyFlink where it has no streams."""
        mixed = self.chance(0.6)
        self._environment(mixed)
        self._options()
        for _ in range(self.random.randint(1, 2)):
            self._table()
        if mixed:
            for _ in range(self.random.randint(1, 2)):
                self._stream()
        self.say(
            *[f't.executeSql("{text}");' for text in (_sink("pairs", "k BIGINT, n BIGINT"),)],
            f't.execute_sql("{_sink("pairs", "k BIGINT, n BIGINT")}")',
        )
        for _ in range(self.random.randint(1, 3)):
            self._consume(mixed)
        if mixed and any("sinkTo" in java or ".print()" in java for java, _ in self.lines):
            self.say("env.execute();")
        java = _HEAD + "\n".join(f"    {line}" for line, _ in self.lines) + "\n  }\n}\n"
        if mixed:
            return java, None
        return java, _PYTHON_HEAD + "\n".join(line or "" for _, line in self.lines) + "\n"

    def _environment(self, mixed: bool) -> None:
        if not mixed:
            self.say(
                "TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());",
                "t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())",
            )
            return
        self.say("StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();")
        if self.chance(0.4):
            self.say(f"env.setParallelism({self.random.randint(1, 5)});")
        if self.chance(0.15):
            self.say("env.disableOperatorChaining();")
        self.say("StreamTableEnvironment t = StreamTableEnvironment.create(env);")

    def _options(self) -> None:
        for key, value in (
            ("table.exec.mini-batch.enabled", "true"),
            ("table.exec.state.ttl", "1 h"),
            ("table.optimizer.agg-phase-strategy", "TWO_PHASE"),
        ):
            if self.chance(0.2):
                for near, given in ((key, value), *_WITH.get(key, ())):
                    self.say(f't.getConfig().set("{near}", "{given}");', f't.get_config().set("{near}", "{given}")')

    def _table(self) -> None:
        name = self.fresh("t")
        timed = self.chance(0.6)
        time = ", ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND" if timed else ""
        text = f"CREATE TABLE {name} (k BIGINT, v INT, s STRING{time}) WITH ('connector' = 'datagen')"
        if self.chance(0.3):
            columns = 'column("k", DataTypes.BIGINT()).column("v", DataTypes.INT()).column("s", DataTypes.STRING())'
            mark = (
                '.column("ts", DataTypes.TIMESTAMP(3)).watermark("ts", "ts - INTERVAL \'5\' SECOND")' if timed else ""
            )
            schema = f"Schema.newBuilder().{columns}{mark}.build()"
            descriptor = f'TableDescriptor.forConnector("datagen").schema({schema}).build()'
            snake = descriptor.replace("newBuilder", "new_builder").replace("forConnector", "for_connector")
            self.say(f't.createTemporaryTable("{name}", {descriptor});', f't.create_temporary_table("{name}", {snake})')
        else:
            self.say(f't.executeSql("{text}");', f't.execute_sql("{text}")')
        self.sources.append(Source(name, timed))

    def _stream(self) -> None:
        """A stream that becomes a view."""
        stream, view = self.fresh("d"), self.fresh("w")
        shape = self.random.choice(("tuple", "row", "pojo", "sequence"))
        uid = f'.uid("{stream}")' if self.chance(0.3) else ""
        partition = self.random.choice(("", "", ".rebalance()", ".keyBy(x -> x)"))
        origin = f"env.fromSequence(1, 9){uid}{partition}"
        if shape == "tuple":
            made = "Types.TUPLE(Types.LONG, Types.INT, Types.STRING)"
            self.say(f'DataStream<Tuple3<Long, Integer, String>> {stream} = {origin}.map(x -> Tuple3.of(x, 1, "a"))'
                     f".returns({made});")  # fmt: skip
            self.say(f't.createTemporaryView("{view}", t.fromDataStream({stream}, $("k"), $("v"), $("s")));')
        elif shape == "row":
            made = 'Types.ROW_NAMED(new String[] {"k", "v", "s"}, Types.LONG, Types.INT, Types.STRING)'
            self.say(f'DataStream<Row> {stream} = {origin}.map(x -> Row.of(x, 1, "a")).returns({made});')
            self.say(f't.createTemporaryView("{view}", {stream});')
        elif shape == "pojo":
            self.say(f"DataStream<Event> {stream} = {origin}.map(x -> new Event());")
            if self.chance(0.5):
                self.say(f't.createTemporaryView("{view}", t.fromDataStream({stream}));')
            else:
                schema = 'Schema.newBuilder().columnByExpression("at", "PROCTIME()").build()'
                self.say(f't.createTemporaryView("{view}", {stream}, {schema});')
        else:
            self.say(f"DataStream<Long> {stream} = {origin}.filter(x -> x > 1);")
            self.say(f't.createTemporaryView("{view}_", {stream});')
            text = f"SELECT f0 AS k, CAST(1 AS INT) AS v, CAST('a' AS STRING) AS s FROM {view}_"
            self.say(f't.createTemporaryView("{view}", t.sqlQuery("{text}"));')
        self.sources.append(Source(view, timed=False))

    def _query(self) -> tuple[str, str, str]:
        """(kind, Java, PyFlink): a table with columns k BIGINT and n BIGINT; SQL text where kind is ``sql``."""
        near = self.random.choice(self.sources)
        far = self.random.choice(self.sources)
        texts = [
            f"SELECT k, COUNT(*) AS n FROM {near.name} GROUP BY k",
            f"SELECT k, CAST(v AS BIGINT) AS n FROM {near.name} WHERE v > {self.random.randint(1, 9)}",
            f"SELECT k, SUM(CAST(v AS BIGINT)) AS n FROM {near.name} WHERE s <> 'x' GROUP BY k",
            f"SELECT a.k, CAST(b.v AS BIGINT) AS n FROM {near.name} a JOIN {far.name} b ON a.k = b.k",
            f"SELECT k, MAX(n) AS n FROM (SELECT k, s, COUNT(*) AS n FROM {near.name} GROUP BY k, s) GROUP BY k",
            f"SELECT DISTINCT k, CAST(v AS BIGINT) AS n FROM {near.name}",
            f"SELECT k, CAST(v AS BIGINT) AS n FROM {near.name} UNION ALL SELECT k, 1 FROM {far.name}",
        ]
        if near.timed:
            window = f"TUMBLE(TABLE {near.name}, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"
            texts.append(f"SELECT k, COUNT(*) AS n FROM TABLE({window}) GROUP BY k, window_start, window_end")
        if self.chance(0.55):
            text = self.random.choice(texts)
            return "sql", f't.sqlQuery("{text}")', f't.sql_query("{text}")'
        start, start_python = f't.from("{near.name}")', f't.from_path("{near.name}")'
        number = self.random.randint(1, 9)
        if self.chance(0.4):
            start += f'.where($("v").isGreater({number}))'
            start_python += f'.where(col("v") > {number})'
        if near.timed and self.chance(0.4):
            return (
                "dsl",
                start + '.window(Tumble.over(lit(5).minutes()).on($("ts")).as("w")).groupBy($("w"), $("k"))'
                '.select($("k"), $("v").count().as("n"))',
                start_python + '.window(Tumble.over(lit(5).minutes).on(col("ts")).alias("w"))'
                '.group_by(col("w"), col("k")).select(col("k"), col("v").count.alias("n"))',
            )
        kind = self.random.randrange(3)
        if kind == 0:
            return (
                "dsl",
                start + '.groupBy($("k")).select($("k"), $("v").count().as("n"))',
                start_python + '.group_by(col("k")).select(col("k"), col("v").count.alias("n"))',
            )
        if kind == 1:
            return (
                "dsl",
                start + '.select($("k"), $("v").plus(1).cast(DataTypes.BIGINT()).as("n")).distinct()',
                start_python + '.select(col("k"), (col("v") + 1).cast(DataTypes.BIGINT()).alias("n")).distinct()',
            )
        right = '.select($("k").as("j"), $("v").as("u"))'
        right_python = '.select(col("k").alias("j"), col("v").alias("u"))'
        return (
            "dsl",
            f'{start}.join(t.from("{far.name}"){right}, $("k").isEqual($("j")))'
            '.select($("k"), $("u").cast(DataTypes.BIGINT()).as("n"))',
            f'{start_python}.join(t.from_path("{far.name}"){right_python}, col("k") == col("j"))'
            '.select(col("k"), col("u").cast(DataTypes.BIGINT()).alias("n"))',
        )

    def _consume(self, mixed: bool) -> None:
        _, java, python = self._query()
        table = self.fresh("q")
        self.say(f"Table {table} = {java};", f"{table} = {python}")
        if mixed and self.chance(0.7):
            self._to_stream(table)
            return
        how = self.random.randrange(3)
        if how == 0:
            self.say(f'{table}.executeInsert("pairs");', f'{table}.execute_insert("pairs")')
        elif how == 1:
            self.say(f't.createTemporaryView("{table}_", {table});', f't.create_temporary_view("{table}_", {table})')
            text = f"INSERT INTO pairs SELECT k, n FROM {table}_"
            self.say(f't.executeSql("{text}");', f't.execute_sql("{text}")')
        else:
            together, (_, java, python) = self.fresh("x"), self._query()
            self.say(f"StatementSet {together} = t.createStatementSet();", f"{together} = t.create_statement_set()")
            for near in (table, self.fresh("q")):
                if near != table:
                    self.say(f"Table {near} = {java};", f"{near} = {python}")
                self.say(f'{together}.addInsert("pairs", {near});', f'{together}.add_insert("pairs", {near})')
            self.say(f"{together}.execute();", f"{together}.execute()")

    def _to_stream(self, table: str) -> None:
        stream = self.fresh("r")
        if self.chance(0.3):
            made = f"DataStream<Tuple2<Boolean, Row>> {stream} = t.toRetractStream({table}, Row.class);"
        else:
            made = f"DataStream<Row> {stream} = t.toChangelogStream({table});"
        self.say(made)
        uid = f'.uid("{stream}")' if self.chance(0.4) else ""
        if self.chance(0.5):
            self.say(f"{stream}.map(x -> x.toString()).returns(Types.STRING){uid}.keyBy(x -> x).map(x -> 1)"
                     ".returns(Types.INT).print();")  # fmt: skip
        else:
            self.say(f"{stream}.print(){uid};")


_WITH = {
    "table.exec.mini-batch.enabled": (
        ("table.exec.mini-batch.allow-latency", "1 s"), ("table.exec.mini-batch.size", "100"),
    ),
}  # fmt: skip
"""Options that another one needs."""


def _sink(name: str, columns: str) -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'blackhole')"
