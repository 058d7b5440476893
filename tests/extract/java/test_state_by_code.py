"""What decides how state is written, spread over code that descriptors and selectors only reach."""

import pytest

from checker.errors import ExtractionError
from checker.extract import java
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation

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


def test_windows_that_merge_refuse_a_trigger_that_does_not() -> None:
    imports = """import org.apache.flink.streaming.api.windowing.assigners.*;
        import org.apache.flink.streaming.api.windowing.triggers.*;"""
    trigger = "public static class T extends Trigger<Order, TimeWindow> { }"
    window = ".window(EventTimeSessionWindows.withGap(Duration.ofHours(1))).trigger(new T()).reduce((a, b) -> a)"
    source = job(IMPORTS=imports, MEMBERS=trigger).replace(".process(new Keep())", window)
    with pytest.raises(ExtractionError, match="UnsupportedOperationException"):
        read(source)


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
