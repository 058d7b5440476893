"""Edits of a default or a condition that move generated ids: the two programs must never count as the same."""

import re

import pytest

from checker.compare.revisions.programs import same_program
from tests.extract.java.programs import read
from tests.extract.tables import made_differently

STREAM = "DataStream<Long> s = env.fromSequence(1, 2).map(x -> x);"
TOOL = "ParameterTool pt = ParameterTool.fromArgs(args);" + STREAM
USE = " s.keyBy(x -> x).reduce((a, b) -> a).print();"
MAP = "s = s.map(x -> x);"

SHORT = {"TOOL": TOOL, "STREAM": STREAM, "MAP": MAP, "END": USE}


@pytest.mark.parametrize("edit", made_differently("conditions of a Java program"), ids=lambda edit: edit["body"])
def test_an_edit_of_what_a_decision_is_made_of_is_seen(edit: dict[str, str]) -> None:
    program = (edit["body"], edit.get("members", ""))
    changed = [text.replace(edit["before"], edit["after"], 1) for text in program]
    assert tuple(changed) != program
    (body, members), (changed_body, changed_members) = (
        (re.sub("|".join(SHORT), lambda name: SHORT[name.group()], text), more) for text, more in (program, changed)
    )
    base = read(body, members, args=None)
    assert same_program(base, read(body, members, args=None))
    assert not same_program(base, read(changed_body, changed_members, args=None))


def test_what_decides_is_the_same_in_every_reading() -> None:
    body = (
        STREAM + "Map<String, String> p = new HashMap<>();"
        " for (int i = 0; i + 1 < args.length; i += 2) p.put(args[i], args[i + 1]);"
        ' String m = p.getOrDefault("mode", "off"); int k = 0; for (String one : List.of("a", "b"))'
        ' { if (one.equals(m) || p.getOrDefault(one, "").equalsIgnoreCase(m)) { k = 3; } } if (k > 2) ' + MAP + USE
    )
    first = read(body, args=None)
    kept = [bytearray(n) for n in range(1000)]  # other addresses in the second reading
    assert same_program(first, read(body, args=None))
    assert kept


PARSED = 'SingleOutputStreamOperator<Order> orders = env.socketTextStream("h", 1).map(x -> org.acme.Codec.parse(x))'


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (f"{PARSED};", True),
        (f'{PARSED}.name("parse").setParallelism(2);', True),
        (PARSED.replace(" orders =", " orders; orders =") + ";", True),
        (PARSED.replace("org.acme.Codec.parse(x)", "new Paid()") + ";", True),
        (PARSED.replace("Order>", "? extends Order>") + ";", False),
        (PARSED.replace("SingleOutputStreamOperator<Order>", "var") + ";", False),
    ],
)
def test_the_variable_of_a_stream_says_what_a_lambda_returns(written: str, known: bool) -> None:
    others = {"Order": "class Order { public String id; }", "Paid": "class Paid extends Order { public long at; }"}
    use = 'orders.name("orders").keyBy(o -> o.id).countWindow(2).reduce((a, b) -> b).print();'
    kept = [s for t in read(written + use, others=others).operators() for s in t.state if s.name == "window-contents"]
    assert [s.value_type == "Order" for s in kept] == [known]


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        ("Order::new", "Order"),
        ("(MapFunction<String, Order>) Order::new", "Order"),
        ("Order::of", "Order"),
        ("Box::new", None),
    ],
)
def test_a_constructor_gives_objects_of_its_class(function: str, kept: str | None) -> None:
    order = "class Order { String id; Order(String id) {} static Order of(String id) { return new Order(id); } }"
    others = {"Order": order, "Box": "class Box<T> { String id; Box(T id) {} }"}
    body = f'env.fromElements("a").map({function}).keyBy(o -> o.id).countWindow(2).apply(null).print();'
    (state,) = [s for t in read(body, others=others).operators() for s in t.state if s.name == "window-contents"]
    assert state.value_type == kept if kept else not isinstance(state.value_type, str), state
