"""Key selectors as texts: equal for code that means the same, and never for code that gives other keys.

Types of keys, also where an anonymous class with a diamond has the type arguments of what it is declared with."""

from pathlib import Path

import pytest
import yaml

from checker.model.unknowns import Unknown
from tests.extract.java.programs import physical, read

CLASSES = yaml.safe_load((Path(__file__).parents[2] / "data" / "key_classes.yaml").read_text(encoding="utf-8"))
OTHERS = CLASSES["orders"]


def key(selector: str, others: dict[str, str] = OTHERS) -> object:
    """What is recorded for ``keyBy(selector)`` on a stream of orders."""
    body = f"DataStream<Order> s = env.fromElements(new Order()); s.keyBy({selector}).reduce((a, b) -> a).print();"
    found = [t.key for t in physical(read(body, others=others)) if t.keyed]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Order::getId", "o -> o.getId()"),
        ("Order::getId", "o -> o.id"),
        ("Order::both", "o -> o.both()"),
        ("Order::both", "order -> { return order.both(); }"),
        ("Keys::early", "o -> Keys.early(o)"),
        ('o -> o.id + "|" + o.tenant', "o -> o.id + Keys.SEPARATOR + o.tenant"),
        ("o -> { String a = o.id; return a + o.tenant; }", "x -> { String b = x.id; return b + x.tenant; }"),
        ("o -> o.getMoney().cents", "o -> o.money.cents"),
        ("o -> new Pair(o.getId(), 1)", "x -> new Pair(x.getId(), 1)"),
        ("o -> o.remote.getName()", "new KeySelector()"),
        ("o -> o.tag.label()", "o -> o.tag.label"),
    ],
)  # fmt: skip
def test_code_that_means_the_same_reads_alike(before: str, after: str) -> None:
    assert isinstance(key(before), str)
    assert key(before) == key(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Order::both", 'o -> o.getId() + "|" + o.getTenant()'),
        ("Order::both", "o -> o.getTenant() + Keys.changing + o.getId()"),
        ("Order::both", 'o -> String.format("%s|%s", o.getId(), o.getTenant())'),
        ("Order::both", 'o -> String.format("%s|%5s", o.getTenant(), o.getId())'),
        ("Order::both", 'o -> new StringBuilder(o.getTenant()).append("|").append(o.getId()).reverse().toString()'),
        ("o -> o.amount + o.stamp", "o -> new StringBuilder().append(o.amount).append(o.stamp).toString()"),
        ("o -> o.id.toUpperCase(Locale.ROOT)", "o -> o.id.toUpperCase(Locale.ENGLISH)"),
        ("o -> (o.amount + 1) % 8", "o -> o.amount + 1 % 8"),
        ('o -> o.amount + 1 + "x"', 'o -> o.amount + (1 + "x")'),
        ('o -> o.amount + "x"', 'o -> o.stamp + "x"'),
        ('o -> "x" + o.c', 'o -> "x" + (int) o.c'),
        ("o -> 7 / o.amount", "o -> 7 / Keys.wide(o.amount)"),
        ("Keys::early", 'o -> o.getId() != null ? "none" : o.getId()'),
        ("Keys::early", 'o -> o.getId() == null ? o.getId() : "none"'),
        ("Keys::kept", "Keys::last"),
        ("o -> o.amount < 7 ? o.id : o.tenant", "o -> o.amount <= 7 ? o.id : o.tenant"),
        ("o -> o.amount < 7 ? o.id : o.tenant", "o -> o.amount >= 7 ? o.id : o.tenant"),
        ("o -> o.weight < 7 ? o.id : o.tenant", "o -> o.weight >= 7 ? o.tenant : o.id"),
        ("o -> o.isOpen() ? o.id : o.tenant", "o -> { if (!o.isOpen()) { return o.id; } return o.tenant; }"),
        ("Keys::chosen", "o -> o.boxed >= 7 ? o.amount : o.stamp"),
        ("o -> new Pair(o.getId(), 1)", "o -> new Pair(o.getId(), 2)"),
        ("o -> new Turned(o.getId(), o.getTenant())", "o -> new Turned(o.getTenant(), o.getId())"),
        ("o -> o.kind()", 'o -> "base"'),
        ("o -> o.tag.label()", "o -> o.odd.label()"),
    ],
)
def test_code_that_gives_other_keys_never_does(before: str, after: str) -> None:
    assert key(before) != key(after)


@pytest.mark.parametrize(
    "selector",
    [
        'o -> "x" + o.money',
        "o -> o.named.label()",
        "o -> o.money.hashCode()",
        "o -> new Trimmed(o.getId())",
        'o -> "x" + o.any',
        "Keys::shared",
    ],
)
def test_code_that_is_not_followed_has_no_text(selector: str) -> None:
    assert not isinstance(key(selector), str)


@pytest.mark.parametrize("use", ["limits.slots", "limits.slots()", "limits.twice()", "limits.hashCode()"])
def test_of_an_object_that_a_selector_uses_all_that_it_holds_counts(use: str) -> None:
    keys = []
    for fields in ("slots = 8", "slots = 9", "slots = 8; public int factor = 3", "slots = 8"):
        decl = f"""public class Limits {{ public int {fields}; public int slots() {{ return slots; }}
          public int twice() {{ int n = slots; return n * 2; }} }}"""
        body = f"""Limits limits = new Limits(); DataStream<Order> s = env.fromElements(new Order());
          s.keyBy(o -> Math.floorMod(o.getId().hashCode(), {use})).reduce((a, b) -> a).print();"""
        found = next(t.key for t in physical(read(body, others={**OTHERS, "Limits": decl})) if t.keyed)
        assert isinstance(found, Unknown)
        keys.append(found.derived_from)
    assert len(set(keys)) == 3
    assert keys[0] == keys[3]


@pytest.mark.parametrize(
    ("name", "written", "becomes", "selector"),
    [
        ("Order", "public int amount", "public long amount", "o -> o.amount == o.boxed ? 1 : 2"),
        ("Order", "public char c", "public int c", 'o -> "x" + o.c'),
        ("Order", "return id;", "return id.trim();", "o -> o.getId() + 1"),
        ("Keys", 'SEPARATOR = "|"', 'SEPARATOR = "-"', "Order::both"),
        ("Keys", "return x; }", "return x + 1; }", "o -> Keys.wide(o.amount)"),
        ("Return", "return tenant;", "return id;", "o -> o.kind()"),
        ("Status", '("o")', '("x")', "o -> o.status.getCode()"),
        ("Trimmed", "a.trim()", "a", "o -> new Trimmed(o.getId())"),
        ("Pair", "this.a = a", "this.a = a.trim()", "o -> new Pair(o.getId(), 1)"),
    ],
)
def test_what_a_key_calls_counts(name: str, written: str, becomes: str, selector: str) -> None:
    assert written in OTHERS[name]
    after = {**OTHERS, name: OTHERS[name].replace(written, becomes)}
    assert _code_of(key(selector)) != _code_of(key(selector, after))


@pytest.mark.parametrize(
    "selector",
    [
        "o -> o.getId() + given",
        "new Salted(given)::key",
        "new Salted(given)",
        """new org.apache.flink.api.java.functions.KeySelector<Order, String>() {
          public String getKey(Order o) { return o.getId() + given; } }""",
    ],
)
def test_what_a_selector_is_given_counts(selector: str) -> None:
    salted = """public class Salted implements org.apache.flink.api.java.functions.KeySelector<Order, String> {
      private final String salt; public Salted(String salt) { this.salt = salt; }
      public String key(Order o) { return o.getId() + salt; } public String getKey(Order o) { return key(o); } }"""
    keys = []
    for salt in ("a", "b", "a"):
        body = f"""String given = "{salt}"; DataStream<Order> s = env.fromElements(new Order());
          s.keyBy({selector}).reduce((a, b) -> a).print();"""
        keys += [t.key for t in physical(read(body, others={**OTHERS, "Salted": salted})) if t.keyed]
    assert _code_of(keys[0]) != _code_of(keys[1])
    assert _code_of(keys[0]) == _code_of(keys[2])


def _code_of(found: object) -> object:
    return found.derived_from if isinstance(found, Unknown) else found


KEY_TYPES = CLASSES["pings"]


def key_type(arguments: str, then: str = "reduce((a, b) -> a)") -> object:
    """The recorded type of the keys of ``keyBy(arguments)`` on a stream of pings."""
    body = f"DataStream<Ping> s = env.fromElements(new Ping()); s.keyBy({arguments}).{then}.print();"
    found = [t.key_type for t in physical(read(body, others=KEY_TYPES)) if t.keyed]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("arguments", "type_"),
    [
        ("p -> p.id", "String"),
        ("p -> p.id, Types.STRING", "String"),
        ("p -> p.key", "VehicleKey"),
        ("p -> p.key, Types.POJO(VehicleKey.class)", "VehicleKey"),
        ("p -> p.key, TypeInformation.of(VehicleKey.class)", "VehicleKey"),
        ("p -> java.util.List.of(p.id), Types.LIST(Types.STRING)", "List<String>"),
    ],
)
def test_the_type_information_that_is_passed_is_the_key_type(arguments: str, type_: str) -> None:
    assert str(key_type(arguments)).rpartition(".")[2] == type_.rpartition(".")[2]


def test_of_methods_with_different_results_none_is_guessed() -> None:
    assert isinstance(key_type("p -> Over.any(p.id)"), Unknown)


def test_neither_selector_nor_function_tells_the_type_of_information_that_is_not_read() -> None:
    found = key_type("p -> p.key, new Own()", "process(new Book())")
    assert isinstance(found, Unknown)
    assert found == key_type("q -> q.key, new Own()", "process(new Book())")


TAGS = CLASSES["scans"]


def type_of_keys(tag: str, before: str = "") -> object:
    """The type of keys that are whole elements of a side output."""
    body = f"""{before} DataStream<Long> s = env.fromElements(1L);
      s.process(new Late()).getSideOutput({tag}).keyBy(x -> x).reduce((a, b) -> a).print();"""
    late = """import org.apache.flink.streaming.api.functions.ProcessFunction;
    public class Late extends ProcessFunction<Long, Long> {
      public void processElement(Long x, Context c, Collector<Long> out) { } }"""
    found = [t.key_type for t in physical(read(body, others={**TAGS, "Late": late})) if t.keyed]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("tag", "before"),
    [
        ("Tags.CONSTANT", ""),
        ("Tags.returned()", ""),
        ("Tags.chosen(true)", ""),
        ("local", 'OutputTag<Scan> local = new OutputTag<>("late") {};'),
        ("local", 'OutputTag<Scan> local = new OutputTag<Scan>("late") {};'),
    ],
)
def test_the_target_gives_the_type(tag: str, before: str) -> None:
    assert str(type_of_keys(tag, before)).endswith("Scan")


@pytest.mark.parametrize("tag", ["Tags.supplied()", "Tags.passed()", "(OutputTag) Tags.plain()"])
def test_another_target_gives_none(tag: str) -> None:
    """A return inside of a lambda is none of the method's, parameters and targets of other classes say nothing."""
    assert isinstance(type_of_keys(tag), Unknown)
