"""What decides how state is written, spread over code that descriptors and selectors only reach."""

from __future__ import annotations

import pytest

from checker.compare import compare_pipelines
from checker.errors import ExtractionError
from checker.extract import java
from checker.flink import translate
from checker.model.findings import Severity
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.rules import Revision, RuleContext, run_rules

JOB = """package a;
import java.util.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.util.Collector;
IMPORTS
public class Job {
  public static class Order { public String id; public String customer; public Order() {} }
  public static class Keep extends KeyedProcessFunction<String, Order, Order> {
    FIELDS
    public void open(org.apache.flink.configuration.Configuration c) { OPEN }
    public void processElement(Order x, Context c, Collector<Order> o) {}
  }
  MEMBERS
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SETTINGS
    DataStream<Order> s = env.fromSequence(1, 9).uid("n").map(i -> new Order()).returns(Order.class).uid("m");
    s.keyBy(KEY).process(new Keep(ARGUMENTS)).uid("keep").print().uid("out");
    env.execute();
  }
}
"""
STATE = 'getRuntimeContext().getState(new ValueStateDescriptor<>("v", {}));'


def job(**parts: str) -> str:
    text = JOB
    given = {"OPEN": STATE.format("Long.class"), "KEY": "o -> o.id", **parts}
    for name in ("IMPORTS", "FIELDS", "OPEN", "MEMBERS", "SETTINGS", "KEY", "ARGUMENTS"):
        text = text.replace(name, given.get(name, ""))
    return text


def read(source: str, files: dict[str, str] | None = None) -> Translation:
    contents = {"src/main/java/a/Job.java": source, **(files or {})}
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="a.Job", flink="1.20", parallelism=2)
    return translate(java.extract(MemoryFiles({p: t.encode() for p, t in contents.items()}), entry))


def found(base: Translation, head: Translation) -> set[str]:
    context = RuleContext(
        pipeline="job",
        base=Revision(translation=base),
        head=Revision(translation=head),
        comparison=compare_pipelines("job", base, head),
    )
    return {f.rule for f in run_rules(context) if f.severity is Severity.ERROR}


OPEN = "type-change-to-check"
SERIALIZER = """public static class Ser extends TypeSerializerSingleton<Long> {{
    public void serialize(Long l, DataOutputView o) {{ o.{}; }} }}"""
FACTORY = """@TypeInfo(Info.class) public static class Acc {{ public long n; }}
  public static class Info extends TypeInfoFactory<Acc> {{
    public TypeInformation<Acc> createTypeInfo(java.lang.reflect.Type t, Map<String, TypeInformation<?>> p) {{
      return {}; }} }}"""
GENERIC = """public static class Acc extends Base<{}> {{ public Acc() {{}} }}
  public static class Base<T> {{ public T value; public Base() {{}} }}"""
NAMED = "getRuntimeContext().getState(new ValueStateDescriptor<>({}, Long.class));"
SHAPES = """public interface Shape {{}} public static class Square implements Shape {{ private {} side; }}
  public static class Acc {{ public Shape shape; public Acc() {{}} }}"""
REMOVED = "public static class Acc {{ public long n; {} public Acc() {{}} }} public enum Color {{ {} }}"
ACC = STATE.format("Acc.class")


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ({"OPEN": STATE.format("new Ser()"), "MEMBERS": SERIALIZER.format("writeLong(l)")},
         {"OPEN": STATE.format("new Ser()"), "MEMBERS": SERIALIZER.format("writeInt(l)")}, OPEN),
        ({"OPEN": ACC, "MEMBERS": FACTORY.format("one()")}, {"OPEN": ACC, "MEMBERS": FACTORY.format("two()")}, OPEN),
        ({"OPEN": ACC, "MEMBERS": GENERIC.format("Long")}, {"OPEN": ACC, "MEMBERS": GENERIC.format("Integer")},
         "value-type-changed"),
        ({"OPEN": ACC, "MEMBERS": SHAPES.format("int")}, {"OPEN": ACC, "MEMBERS": SHAPES.format("long")}, OPEN),
        ({"OPEN": NAMED.format("load()"), "MEMBERS": "static String load() { return Env.get(1); }"},
         {"OPEN": NAMED.format("load()"), "MEMBERS": "static String load() { return Env.get(2); }"}, OPEN),
        ({"OPEN": NAMED.format('ResourceBundle.getBundle("names").getString("v")')},
         {"OPEN": NAMED.format('ResourceBundle.getBundle("other").getString("v")')}, OPEN),
        ({"SETTINGS": "", "OPEN": ACC, "MEMBERS": GENERIC.format("Long")},
         {"SETTINGS": "env.getConfig().enableForceKryo();", "OPEN": ACC, "MEMBERS": GENERIC.format("Long")},
         "value-type-changed"),
        ({"SETTINGS": "", "OPEN": ACC, "MEMBERS": GENERIC.format("Long")},
         {"SETTINGS": 'conf.setString("pipeline.force-kryo", "true");', "OPEN": ACC, "MEMBERS": GENERIC.format("Long")},
         "value-type-changed"),
        ({"OPEN": ACC, "MEMBERS": FACTORY.format("null; Object x = n, y = m; use(x, y)")},
         {"OPEN": ACC, "MEMBERS": FACTORY.format("null; Object x = n, y = m; use(y, x)")}, OPEN),
        ({"OPEN": ACC, "MEMBERS": FACTORY.format("null; { Object x = 1; use(x); } use(x)") + "static Object x, y;"},
         {"OPEN": ACC, "MEMBERS": FACTORY.format("null; { Object y = 1; use(y); } use(y)") + "static Object x, y;"},
         OPEN),
        ({"KEY": "o -> Keys.of(o)", "MEMBERS": "static class Keys { static String of(Order o) { return o.id; } }"},
         {"KEY": "o -> Keys.of(o)", "MEMBERS": "static class Keys { static String of(Order o) { return o.id + 1; } }"},
         OPEN),
        ({"KEY": "o -> o.id"}, {"KEY": "o -> o.customer"}, "key-selector-changed"),
        ({"KEY": "o -> o.id"}, {"KEY": "o -> o.id == null ? \"\" : o.id"}, OPEN),
        ({"OPEN": STATE.format("Types.MAP(Types.STRING, Types.LONG)")},
         {"OPEN": STATE.format("TypeInformation.of(new TypeHint<Map<String, Long>>() {})")}, "value-type-changed"),
        ({"OPEN": ACC, "MEMBERS": REMOVED.format("public Color c;", "A, B")},
         {"OPEN": ACC, "MEMBERS": REMOVED.format("", "A")}, OPEN),
        ({"OPEN": NAMED.format("name"), "FIELDS": "String name; Keep(String n) { name = n; }", "ARGUMENTS": '"v"'},
         {"OPEN": NAMED.format("name"), "FIELDS": "String name; Keep(String n) { name = n; }", "ARGUMENTS": '"w"'},
         "state-renamed"),
    ],
)  # fmt: skip
def test_what_decides_how_state_is_written_is_compared(
    before: dict[str, str], after: dict[str, str], rule: str
) -> None:
    base, head = read(job(**before)), read(job(**after))
    assert not found(base, base)
    assert not found(head, head)
    assert rule in found(base, head)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"KEY": "o -> o.id"}, {"KEY": "(Order x) -> x.id"}),
        ({"KEY": "o -> o.id"}, {"KEY": "o -> { return o.id; }"}),
        ({"KEY": "o -> o.id + o.customer"}, {"KEY": "e -> e.id + e.customer"}),
        ({"OPEN": STATE.format("Types.GENERIC(Map.class)")},
         {"OPEN": STATE.format("TypeInformation.of(new TypeHint<Map<String, Long>>() {})")}),
        ({"OPEN": NAMED.format('"a-" + 1')}, {"OPEN": NAMED.format('"a-1"')}),
        ({"OPEN": ACC, "MEMBERS": FACTORY.format("null; Object x = null; for (Object y : p) use(x, y, z -> z);")},
         {"OPEN": ACC, "MEMBERS": FACTORY.format("null; Object a = null; for (Object b : p) use(a, b, c -> c);")}),
        ({"OPEN": NAMED.format("load()"), "MEMBERS": "static String load() { return Env.get(1); }"},
         {"OPEN": NAMED.format("load()"), "MEMBERS": "/* why */ static String load() { return Env.get( 1 ); } int x;"}),
    ],
)  # fmt: skip
def test_another_spelling_is_no_change(before: dict[str, str], after: dict[str, str]) -> None:
    assert not found(read(job(**before)), read(job(**after)))


@pytest.mark.parametrize(("extends", "rules"), [("", set()), ("extends lib.Id", {OPEN})])
def test_what_a_library_returns_is_a_class_of_the_program_only_if_that_extends_one(
    extends: str, rules: set[str]
) -> None:
    members = """static lib.Event of(Order o) {{ return lib.Events.parse(o.id); }}
      static class Other {0} implements java.io.Serializable {{ public String toString() {{ return "{1}"; }} }}"""
    key = "o -> of(o).getId().toString()"
    base, head = (read(job(KEY=key, MEMBERS=members.format(extends, text))) for text in "ab")
    assert found(base, head) == rules


AVRO = '{"type": "record", "name": "Total", "namespace": "a.avro", "fields": [{"name": "n", "type": "%s"}%s]}'
MORE = ', {"name": "m", "type": "string", "default": ""}'
PROTO = 'syntax = "proto3"; package a; option java_multiple_files = true; message Total { %s }'
TWICE = PROTO % "%s n = 1;" + " message O { message Total { string n = 1; } }"
PROTOBUF = (
    "env.getConfig().registerTypeWithKryoSerializer(Total.class, com.twitter.chill.protobuf.ProtobufSerializer.class);"
)


@pytest.mark.parametrize(
    ("path", "before", "after", "settings", "rules"),
    [
        ("a.avsc", AVRO % ("long", ""), AVRO % ("long", MORE), "", set()),
        ("a.avsc", AVRO % ("long", ""), AVRO % ("string", ""), "", {"value-type-changed"}),
        ("a.avdl", "record Total { long n; }", "record Total { int n; }", "", {OPEN}),
        ("a.proto", PROTO % "int64 n = 1;", PROTO % "int64 m = 1; /* x */ oneof of { bool b = 2; }", PROTOBUF, set()),
        ("a.proto", PROTO % "int64 n = 1;", PROTO % "int64 n = 2;", PROTOBUF, {"value-type-changed"}),
        (
            "a.proto",
            PROTO % "int64 n = 1; int64 m = 2;",
            PROTO % "int64 m = 1; int64 n = 2;",
            PROTOBUF,
            {"value-type-changed"},
        ),
        (
            "a.proto",
            PROTO % "optional group G = 1 { int64 n = 2; }",
            PROTO % "optional group G = 1 { bool n = 2; }",
            PROTOBUF,
            {OPEN},
        ),
        ("a.proto", TWICE % "int64", TWICE % "bool", PROTOBUF, {OPEN}),
        ("a.proto", PROTO % "map<string, int64> n = 1;", PROTO % "repeated int64 n = 1;", PROTOBUF, {OPEN}),
        ("a.proto", PROTO % "int64 n = 1;", PROTO % "int64 n = 1; bool b = 2;", "", {OPEN}),
    ],
)
def test_generated_classes_are_known_by_their_schemas(
    path: str, before: str, after: str, settings: str, rules: set[str]
) -> None:
    package = "a" if path.endswith("proto") else "a.avro"
    source = job(IMPORTS=f"import {package}.Total;", OPEN=STATE.format("Total.class"), SETTINGS=settings)
    base, head = (read(source, {f"src/main/schemas/{path}": text}) for text in (before, after))
    assert found(base, head) == rules


GUARDED = """ValueStateDescriptor<Long> d = new ValueStateDescriptor<>("v", Long.class);
    if (ttl != null && !ttl.isZero()) { d.enableTimeToLive(StateTtlConfig.newBuilder(ttl).build()); }
    getRuntimeContext().getState(d);"""


@pytest.mark.parametrize(("after", "rules"), [("ofDays(3)", set()), ("ofDays(0)", {"state-ttl-changed"})])
def test_a_guard_on_a_duration_decides_whether_state_expires(after: str, rules: set[str]) -> None:
    fields = "private final Duration ttl; Keep(Duration ttl) { this.ttl = ttl; }"
    base, head = (
        read(job(IMPORTS="import java.time.Duration;", FIELDS=fields, OPEN=GUARDED, ARGUMENTS=f"Duration.{made}"))
        for made in ("ofDays(1)", after)
    )
    assert found(base, head) == rules


WINDOW = """public static class W extends ProcessWindowFunction<Order, Order, String, TimeWindow> {
    public void process(String key, Context context, Iterable<Order> all, Collector<Order> out) throws Exception {
      KeyedStateStore store = context.%s();
      store.getState(new ValueStateDescriptor<>("firings", Long.class)).update(1L);
    } }"""


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [("windowState", "globalState", {"value-type-changed"}), ("globalState", "globalState", set())],
)
def test_state_per_window_is_not_state_per_key(before: str, after: str, rules: set[str]) -> None:
    imports = """import org.apache.flink.streaming.api.functions.windowing.*;
        import org.apache.flink.streaming.api.windowing.assigners.*;
        import org.apache.flink.streaming.api.windowing.windows.*;"""
    window = ".window(TumblingEventTimeWindows.of(java.time.Duration.ofHours(1))).process(new W())"
    base, head = (
        read(job(IMPORTS=imports, MEMBERS=WINDOW % store).replace(".process(new Keep())", window))
        for store in (before, after)
    )
    assert found(base, head) == rules


def test_windows_that_merge_refuse_a_trigger_that_does_not() -> None:
    imports = """import org.apache.flink.streaming.api.windowing.assigners.*;
        import org.apache.flink.streaming.api.windowing.triggers.*;"""
    trigger = "public static class T extends Trigger<Order, TimeWindow> { }"
    window = ".window(EventTimeSessionWindows.withGap(Duration.ofHours(1))).trigger(new T()).reduce((a, b) -> a)"
    source = job(IMPORTS=imports, MEMBERS=trigger).replace(".process(new Keep())", window)
    with pytest.raises(ExtractionError, match="UnsupportedOperationException"):
        read(source)


HELPERS = """static <T> ValueStateDescriptor<T> value(String name, Class<T> type) {
    return expiring(new ValueStateDescriptor<>("a." + name, type)); }
  static <T> ValueStateDescriptor<T> expiring(ValueStateDescriptor<T> descriptor) {
    %s return descriptor; }"""
EXPIRES = "descriptor.enableTimeToLive(StateTtlConfig.newBuilder(java.time.Duration.ofDays(%d)).build());"


@pytest.mark.parametrize(
    ("before", "after", "asked", "rules"),
    [
        (EXPIRES % 1, EXPIRES % 2, "Long", set()),
        (EXPIRES % 1, "", "Long", {"state-ttl-changed"}),
        (EXPIRES % 1, EXPIRES % 1, "Integer", {"value-type-changed"}),
    ],
)
def test_a_descriptor_that_a_helper_hands_through_is_followed(
    before: str, after: str, asked: str, rules: set[str]
) -> None:
    base, head = (
        read(job(MEMBERS=HELPERS % helper, OPEN=f'getRuntimeContext().getState(value("v", {type_}.class));'))
        for helper, type_ in ((before, "Long"), (after, asked))
    )
    assert found(base, head) == rules


SCAN = """public static class Scan extends org.apache.flink.api.java.tuple.Tuple2<String, %s> {
    String hub() { return f0 + "%s"; } }"""


@pytest.mark.parametrize(
    ("after", "rules"), [(SCAN % ("Long", "!"), set()), (SCAN % ("Integer", ""), {"value-type-changed"})]
)
def test_a_class_that_extends_a_tuple_is_written_as_the_tuple(after: str, rules: set[str]) -> None:
    base, head = (read(job(MEMBERS=scan, OPEN=STATE.format("Scan.class"))) for scan in (SCAN % ("Long", ""), after))
    assert found(base, head) == rules


THROTTLE = """public static class Throttle<T>
    extends AbstractStreamOperator<T> implements OneInputStreamOperator<T, T> {
    public void open() { getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class)); }
    public void processElement(StreamRecord<T> element) {} }"""


def test_the_keys_of_an_own_operator_are_compared() -> None:
    imports = """import org.apache.flink.streaming.api.operators.*;
        import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;"""
    base, head = (
        read(
            job(IMPORTS=imports, MEMBERS=THROTTLE, KEY=key).replace(
                ".process(new Keep())", '.transform("throttle", s.getType(), new Throttle<Order>())'
            )
        )
        for key in ("o -> o.id", "o -> o.customer")
    )
    assert found(base, head) == {"key-selector-changed"}


JSON = """static class Json<T> extends org.apache.flink.api.common.serialization.AbstractDeserializationSchema<T> {
    public Json(Class<T> type) { super(GIVEN); }
    public T deserialize(byte[] bytes) { return null; } }"""


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ("type", "Order"),
        ("TypeInformation.of(type)", "Order"),
        ("(TypeInformation<T>) TypeInformation.of(Integer.class)", "Integer"),
        ("Other.type()", None),
    ],
)
def test_a_schema_says_the_type_that_it_hands_to_its_base_class(given: str, known: str | None) -> None:
    source = job(
        IMPORTS="import org.apache.flink.connector.kafka.source.KafkaSource;",
        MEMBERS=JSON.replace("GIVEN", given),
        SETTINGS="""var source = KafkaSource.<Order>builder().setValueOnlyDeserializer(new Json<>(Order.class)).build();
            env.fromSource(source, WatermarkStrategy.noWatermarks(), "s").uid("s")
            .windowAll(org.apache.flink.streaming.api.windowing.assigners.GlobalWindows.create())
            .reduce((a, b) -> a).uid("w").print();""",
    )
    (kept,) = [s.value_type for t in read(source).topology.operators() if t.uid == "w" for s in t.state if s.value_type]
    assert (kept if isinstance(kept, str) else None) == known


@pytest.mark.parametrize(
    ("function", "known"),
    [
        ("(MapFunction<Order, Item>) o -> com.lib.Items.of(o)", "Item"),
        ("parse", "Item"),
        ("parsed()", "Item"),
        ("o -> com.lib.Items.of(o)", None),
        ("(MapFunction<Order, ? extends Item>) o -> com.lib.Items.of(o)", None),
    ],
)
def test_a_lambda_gives_what_the_interface_says_that_it_is_written_for(function: str, known: str | None) -> None:
    source = job(
        IMPORTS="import org.apache.flink.api.common.functions.MapFunction;",
        MEMBERS="""public static class Item { public int n; }
            static MapFunction<Order, Item> parsed() { return o -> com.lib.Items.of(o); }""",
        SETTINGS=f"""MapFunction<Order, Item> parse = o -> com.lib.Items.of(o);
            var items = env.fromElements(new Order()).map({function});
            items.windowAll(org.apache.flink.streaming.api.windowing.assigners.GlobalWindows.create())
            .reduce((a, b) -> a).uid("w").print();""",
    )
    (kept,) = [s.value_type for t in read(source).topology.operators() if t.uid == "w" for s in t.state if s.value_type]
    assert (kept if isinstance(kept, str) else None) == known


OWN_SOURCE = """static class Orders extends org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer010<Order> {
    Orders(String topic, java.util.Properties properties) { super(topic, new Schema(), properties); } TYPE
    static class Schema extends org.apache.flink.api.common.serialization.AbstractDeserializationSchema<Order> {
        public Order deserialize(byte[] bytes) { return null; } } }"""


@pytest.mark.parametrize(
    ("type_", "known"),
    [("", "Order"), ("public TypeInformation<Order> getProducedType() { return Other.type(); }", None)],
)
def test_a_source_of_the_program_gives_what_the_schema_says_that_it_hands_to_its_base_class(
    type_: str, known: str | None
) -> None:
    source = job(
        MEMBERS=OWN_SOURCE.replace("TYPE", type_),
        SETTINGS="""env.addSource(new Orders("orders", Other.properties())).uid("s")
            .windowAll(org.apache.flink.streaming.api.windowing.assigners.GlobalWindows.create())
            .reduce((a, b) -> a).uid("w").print();""",
    )
    (kept,) = [s.value_type for t in read(source).topology.operators() if t.uid == "w" for s in t.state if s.value_type]
    assert (kept if isinstance(kept, str) else None) == known


@pytest.mark.parametrize(("declared", "known"), [("DataStream<Order>", "Order"), ("var", None)])
def test_an_asynchronous_call_holds_the_elements_that_its_stream_is_declared_with(
    declared: str, known: str | None
) -> None:
    source = job(
        IMPORTS="import org.apache.flink.streaming.api.functions.async.*;",
        MEMBERS="""static class Asks implements AsyncFunction<Order, Order> {
            public void asyncInvoke(Order order, ResultFuture<Order> result) { } }""",
        SETTINGS=f"""{declared} orders = env.addSource(com.lib.Feeds.orders()).uid("s");
            AsyncDataStream.unorderedWait(orders, new Asks(), 5, null).uid("w").print();""",
    )
    (kept,) = [s.value_type for t in read(source).topology.operators() if t.uid == "w" for s in t.state if s.value_type]
    assert (kept if isinstance(kept, str) else None) == known


SCHEMA = """static class Schema implements org.apache.flink.api.common.serialization.DeserializationSchema<Order> {
    public TypeInformation<Order> getProducedType() { return Other.type(); } }"""


@pytest.mark.parametrize(
    ("made", "typed"),
    [
        ("KafkaSource<Order> source = KafkaSource.builder().setTopics(topic()).build();", True),
        ("var source = KafkaSource.<Order>builder().setTopics(topic()).build();", True),
        ("var source = KafkaSource.<Order>builder().setValueOnlyDeserializer(new Schema()).build();", False),
        ("KafkaSource<GenericRecord> source = KafkaSource.builder().build();", False),
    ],
)
def test_a_source_says_by_its_type_what_a_window_keeps(made: str, typed: bool) -> None:
    window = """windowAll(org.apache.flink.streaming.api.windowing.assigners.GlobalWindows.create())
      .reduce((a, b) -> a).uid("w").print();"""
    source = job(
        IMPORTS="import org.apache.flink.connector.kafka.source.KafkaSource; import org.apache.avro.generic.*;",
        MEMBERS=SCHEMA,
        SETTINGS=f'{made} env.fromSource(source, WatermarkStrategy.noWatermarks(), "s").uid("s").{window}',
    )
    (kept,) = [s for t in read(source).topology.operators() if t.uid == "w" for s in t.state if s.value_type]
    assert (kept.value_type == "Order") is typed, kept.value_type


REGISTERED = "env.getConfig().addDefaultKryoSerializer(Acc.class, Ser.class);"
WRITTEN = """public static class Ser extends com.esotericsoftware.kryo.Serializer<Acc> {{}}
  public static class Acc {{ private {} private Part part; }}"""


@pytest.mark.parametrize(
    ("settings", "before", "after", "rules"),
    [
        (REGISTERED, ("a.x", "String a; private String b;"), ("a.x", "String b; private String a;"), {OPEN}),
        ("", ("a.x", "String a; private String b;"), ("a.x", "String b; private String a;"), set()),
        (REGISTERED, ("a.x", "int n;"), ("a.y", "int n;"), {OPEN}),
    ],
)
def test_a_serializer_of_the_program_may_write_fields_by_place_and_classes_by_name(
    settings: str, before: tuple[str, str], after: tuple[str, str], rules: set[str]
) -> None:
    sides = [
        read(
            job(IMPORTS=f"import {package}.Part;", OPEN=ACC, SETTINGS=settings, MEMBERS=WRITTEN.format(fields)),
            {f"src/main/java/a/{package[2:]}/Part.java": f"package {package}; public class Part {{ int n; }}"},
        )
        for package, fields in (before, after)
    ]
    assert found(*sides) == rules
