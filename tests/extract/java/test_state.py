"""State of user functions, from their source, and the code that writes a class, as far as it is known by a digest."""

import pytest

from checker.extract.java.flink_api.states.functions import states_of
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.run_state import Limits
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Instance, Scope
from checker.extract.java.program import interpreter_of
from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.java_types import of_class
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.declared_state import ClassShape, StateDescriptor, StateKind
from checker.model.flink_releases import api_of
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Cause, Unknown

IMPORTS = """
package a;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.streaming.api.functions.*;
import org.apache.flink.streaming.api.checkpoint.*;
import org.apache.flink.runtime.state.*;
import org.apache.flink.configuration.Configuration;
import org.slf4j.Logger;
import java.time.Duration;
"""


def read(source: str, name: str = "F", **others: str) -> tuple[tuple[StateDescriptor, ...] | Unknown, bool | Unknown]:
    files = {"src/main/java/a/F.java": (IMPORTS + source).encode()}
    for file_name, text in others.items():
        files[f"src/main/java/a/{file_name}.java"] = (IMPORTS + text).encode()
    index = ClassIndex(MemoryFiles(files))
    decl = index.find(f"a.{name}")
    assert decl is not None
    return state_of(index, decl)


def state_of(index: ClassIndex, decl: ClassDecl) -> tuple[tuple[StateDescriptor, ...] | Unknown, bool | Unknown]:
    """What an object of a class keeps that a program makes without arguments."""
    entry = PipelineEntry(name="F", extract=ExtractorKind.JAVA)
    run = Run(index, entry, api_of("1.20"), Limits())
    run.interpreter = interpreter_of(run)
    made = run.interpreter.instantiate(decl, Call("new", [], Site(None, Frame(decl, None, Scope()))))
    assert isinstance(made, Instance)
    return states_of(run, made)


def states(source: str, name: str = "F", **others: str) -> list[tuple[object, object, object]]:
    found, stateful = read(source, name, **others)
    assert isinstance(found, tuple)
    assert stateful is bool(found)
    return [(s.name, s.kind, s.value_type) for s in found]


def in_open(body: str, members: str = "") -> str:
    return (
        "public class F extends KeyedProcessFunction<Long, Long, Long> {"
        f"{members} public void open(Configuration c) {{ {body} }} }}"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            'getRuntimeContext().getState(new ValueStateDescriptor<>("a", Long.class));',
            ("a", StateKind.VALUE, "Long"),
        ),
        (
            'getRuntimeContext().getState(new ValueStateDescriptor<Long>("a", Types.LONG));',
            ("a", StateKind.VALUE, "Long"),
        ),
        (
            'ValueStateDescriptor<Long> d = new ValueStateDescriptor<>("a", x()); getRuntimeContext().getState(d);',
            ("a", StateKind.VALUE, "Long"),
        ),
        (
            'getRuntimeContext().getListState(new ListStateDescriptor<>("l", TypeInformation.of(Foo.class)));',
            ("l", StateKind.LIST, "Foo"),
        ),
        (
            'getRuntimeContext().getListState(new ListStateDescriptor<>("l",'
            " TypeInformation.of(new TypeHint<java.util.List<Foo>>() {})));",
            ("l", StateKind.LIST, "GenericType<List<Foo>>"),
        ),
        (
            'getRuntimeContext().getMapState(new MapStateDescriptor<>("m", Types.STRING, Types.LIST(Types.INT)));',
            ("m", StateKind.MAP, "List<Integer>"),
        ),
        (
            'getRuntimeContext().getReducingState(new ReducingStateDescriptor<>("r", new Sum(), Integer.class));',
            ("r", StateKind.REDUCING, "Integer"),
        ),
        (
            "getRuntimeContext().getAggregatingState("
            'new AggregatingStateDescriptor<Long, Acc, Double>("g", new Avg(), Acc.class));',
            ("g", StateKind.AGGREGATING, "Acc"),
        ),
        (
            'getRuntimeContext().getState(new ValueStateDescriptor<>("t", Types.TUPLE(Types.LONG, Types.STRING)));',
            ("t", StateKind.VALUE, "Tuple2<Long, String>"),
        ),
        (
            'getRuntimeContext().getState(new ValueStateDescriptor<>("a" + "-" + 1, BasicTypeInfo.INT_TYPE_INFO));',
            ("a-1", StateKind.VALUE, "Integer"),
        ),
    ],
)
def test_a_registered_state(body: str, expected: tuple[object, object, object]) -> None:
    assert states(in_open(body)) == [expected]


NEW = 'new ValueStateDescriptor<>("a", Long.class);'


@pytest.mark.parametrize(
    ("made", "enabled"),
    [
        ("StateTtlConfig.newBuilder(Duration.ofDays(7)).build()", True),
        ("StateTtlConfig.DISABLED", False),
        ("configured()", None),
    ],
)
def test_a_method_is_given_the_time_to_live_of_its_descriptor(made: str, enabled: bool | None) -> None:
    method = (
        f"static ValueStateDescriptor<Long> of(StateTtlConfig given) {{ ValueStateDescriptor<Long> d = {NEW}"
        " d.enableTimeToLive(given); return d; } StateTtlConfig configured() { if (a) { return B; } return C; }"
    )
    found, _ = read(in_open(f"StateTtlConfig ttl = {made}; getRuntimeContext().getState(of(ttl));", method))
    assert isinstance(found, tuple)
    assert [None if isinstance(state.ttl, Unknown) else state.ttl for state in found] == [enabled]
    if enabled:
        assert found[0].expiry is not None
        assert found[0].expiry.milliseconds == 7 * 86_400_000


TTL = "StateTtlConfig.newBuilder(Duration.ofDays(7)).build()"


@pytest.mark.parametrize(
    ("body", "members"),
    [
        (f"var d = {NEW} getRuntimeContext().getState(d); d.enableTimeToLive({TTL});", ""),
        (f"var d = {NEW} s = getRuntimeContext().getState(d); if (on) {{ d.enableTimeToLive({TTL}); }}", ""),
        (
            f"getRuntimeContext().getState(d); d.enableTimeToLive({TTL});",
            f"ValueStateDescriptor<Long> d = {NEW}",
        ),
        (f"var d = {NEW} for (;;) {{ getRuntimeContext().getState(d); d.enableTimeToLive({TTL}); }}", ""),
    ],
)
def test_a_time_to_live_that_is_set_after_the_state_was_asked_for_is_none(body: str, members: str) -> None:
    found, _ = read(in_open(body.replace("var", "ValueStateDescriptor<Long>"), members))
    assert isinstance(found, tuple)
    assert [state.ttl for state in found] == [False]


@pytest.mark.parametrize(
    ("handed", "members", "enabled"),
    [
        ("c.applyToKeyedState(d, (k, s) -> s.clear());", "", False),
        ("watch(d);", "static void watch(ValueStateDescriptor<Long> x) { LOG.info(x.getName()); }", False),
        ("watch(d);", f"static void watch(ValueStateDescriptor<Long> x) {{ x.enableTimeToLive({TTL}); }}", True),
        ("watch(d);", "static void watch(ValueStateDescriptor<Long> x) { com.lib.Watch.of(x); }", None),
        ("watch(d);", "protected void watch(ValueStateDescriptor<Long> x) { }", False),
        ("com.lib.Watch.of(d);", "", None),
        (f"if (com.lib.Flags.on()) {{ d.enableTimeToLive({TTL}); }}", "", None),
    ],
)
def test_what_is_handed_a_descriptor_may_set_its_time_to_live(handed: str, members: str, enabled: bool | None) -> None:
    members = f"static final Logger LOG = null; ValueStateDescriptor<Long> d = {NEW} {members}"
    found, _ = read(in_open(f"{handed} getRuntimeContext().getState(d);", members))
    assert isinstance(found, tuple)
    assert [None if isinstance(state.ttl, Unknown) else state.ttl for state in found] == [enabled]


def test_operator_state_of_a_checkpointed_function() -> None:
    found = states(
        "public class F extends RichSinkFunction<Long> implements CheckpointedFunction {"
        " public void initializeState(FunctionInitializationContext context) throws Exception {"
        " OperatorStateStore store = context.getOperatorStateStore();"
        ' store.getListState(new ListStateDescriptor<>("buffer", Long.class));'
        ' context.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("offsets", Long.class));'
        ' context.getKeyedStateStore().getListState(new ListStateDescriptor<>("keyed", Long.class)); } }'
    )
    assert [(name, kind) for name, kind, _ in found] == [
        ("buffer", StateKind.OPERATOR_LIST),
        ("offsets", StateKind.OPERATOR_UNION_LIST),
        ("keyed", StateKind.LIST),
    ]


@pytest.mark.parametrize(("given", "ttl"), [("getMapState", True), ("getBroadcastState", False)])
def test_only_keyed_state_has_a_time_to_live(given: str, ttl: bool) -> None:
    found, _ = read(
        "public class F extends KeyedBroadcastProcessFunction<Long, Long, Rule, Long> {"
        " public void processBroadcastElement(Rule r, Context ctx, Collector<Long> out) {"
        ' MapStateDescriptor<String, Rule> d = new MapStateDescriptor<>("rules", String.class, Rule.class);'
        " d.enableTimeToLive(StateTtlConfig.newBuilder(Time.days(1)).build());"
        f" {'ctx' if 'Broad' in given else 'getRuntimeContext()'}.{given}(d); }} }}"
    )
    assert isinstance(found, tuple)
    assert [state.ttl for state in found] == [ttl]


def test_list_checkpointed() -> None:
    found = states("public class F implements MapFunction<Long, Long>, ListCheckpointed<Long> { }")
    assert found == [("_default_", StateKind.OPERATOR_LIST, None)]


def test_a_computed_name_is_unknown_and_the_function_stateful() -> None:
    found, stateful = read(in_open("getRuntimeContext().getState(new ValueStateDescriptor<>(name(), Long.class));"))
    assert isinstance(found, tuple)
    assert isinstance(found[0].name, Unknown)
    assert stateful is True


def test_an_ancestor_outside_of_the_repository_is_unknown() -> None:
    found, stateful = read("import com.other.Base; public class F extends Base<Long> { }".replace("import", "\nimport"))
    assert isinstance(found, Unknown)
    assert found.cause is Cause.EXTERNAL
    assert isinstance(stateful, Unknown)


def test_interfaces_outside_of_the_repository_keep_no_state() -> None:
    found, stateful = read("import com.other.Marker; public class F implements MapFunction<Long, Long>, Marker { }")
    assert (found, stateful) == ((), False)


def test_a_getter_of_ones_own_object_is_no_state() -> None:
    source = "public class F extends RichMapFunction<O, Long> { public Long map(O o) { return o.getState(1); } }"
    assert states(source) == []


def test_a_connector_base_class_brings_its_state() -> None:
    found = states(
        "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;"
        " public class F extends FlinkKafkaConsumer<String> { }"
    )
    assert found == [("topic-partition-offset-states", StateKind.OPERATOR_UNION_LIST, None)]


SOURCE = """package acme;
import java.util.List;
public interface Event { }
class Sale implements Event { List<String> lines; }
"""


def shape(source: str, flink: str) -> ClassShape:
    index = ClassIndex(MemoryFiles({"src/main/java/acme/Event.java": source.encode()}))
    decl = index.find("acme.Event")
    assert isinstance(decl, ClassDecl)
    (found,) = (s for s in ShapeReader(index, api_of(flink)).shapes_of((of_class(decl),)) if s.name == "acme.Event")
    return found


@pytest.mark.parametrize("flink", ["1.20", "2.3"])
def test_what_kryo_writes_below_an_interface_does_not_depend_on_the_release(flink: str) -> None:
    assert shape(SOURCE, "1.20").code == shape(SOURCE, flink).code
    assert shape(SOURCE, "1.20").code != shape(SOURCE.replace("List<String>", "List<Long>"), flink).code
