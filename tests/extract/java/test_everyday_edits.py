"""Edits of a default or a condition that move generated ids: the two programs must never count as the same."""

import pytest

from checker.compare.revisions.programs import same_program
from tests.extract.java.programs import read

STREAM = "DataStream<Long> s = env.fromSequence(1, 2).map(x -> x);"
TOOL = "ParameterTool pt = ParameterTool.fromArgs(args);" + STREAM
USE = " s.keyBy(x -> x).reduce((a, b) -> a).print();"
MAP = "s = s.map(x -> x);"

EDITS = {
    "default": (TOOL + 'int k = pt.getInt("n", 2); if (k > 2) ' + MAP + USE, '"n", 2', '"n", 3'),
    "negation": (TOOL + 'boolean b = !pt.has("u"); if (b) ' + MAP + USE, "!pt", "pt"),
    "length": (STREAM + "if (args.length > 0) " + MAP + USE, "args.length > 0", "args.length < 1"),
    "length-variable": (STREAM + "int n = args.length; if (n > 0) " + MAP + USE, "n > 0", "n > 1"),
    "parse": (STREAM + "int k = Integer.parseInt(args[0]) + 1; if (k > 2) " + MAP + USE, "+ 1", "+ 2"),
    "parse-other": (STREAM + "int k = Integer.parseInt(args[0]); if (k > 2) " + MAP + USE, "args[0]", "args[1]"),
    "trim": (STREAM + 'String t = args[0].trim(); if (t.equals("a")) ' + MAP + USE, "args[0].trim()", "args[0]"),
    "max": (TOOL + 'int k = Math.max(1, pt.getInt("n", 2)); if (k > 2) ' + MAP + USE, "max(1", "max(3"),
    "stream-count": (
        STREAM + 'long n = Arrays.stream(args).filter(x -> x.startsWith("a")).count(); if (n > 0) ' + MAP + USE,
        '"a")', '"b")',
    ),
    "ternary": (TOOL + 'int k = pt.has("u") ? 1 : 3; if (k > 2) ' + MAP + USE, "1 : 3", "3 : 1"),
    "switch": (
        TOOL + 'String m = pt.get("m", "a"); switch (m) { case "a": ' + MAP + " break; default: } " + USE,
        '"m", "a"', '"m", "b"',
    ),
    "while": (
        TOOL + 'int i = 0; int n = pt.getInt("n", 2); while (i < n) { ' + MAP + " i++; }" + USE, '"n", 2', '"n", 3',
    ),
    "for": (TOOL + 'int n = pt.getInt("n", 2); for (int i = 0; i < n; i++) { ' + MAP + " }" + USE, '"n", 2', '"n", 3'),
    "for-each": (
        TOOL + 'String[] n = pt.get("n", "a").split(","); for (String x : n) { ' + MAP + " }" + USE,
        '"a").', '"b").',
    ),
    "list": (
        TOOL + 'List<String> l = new ArrayList<>(); if (!pt.has("x")) l.add("a"); for (String x : l) ' + MAP + USE,
        "!pt", "pt",
    ),
    "list-known": (
        TOOL + 'List<String> l = new ArrayList<>(); if (pt.has("x")) l.add("a"); for (String x : l) ' + MAP + USE,
        "new ArrayList<>()", 'new ArrayList<>(List.of("z"))',
    ),
    "parallelism": (TOOL + 'env.setParallelism(pt.getInt("p", 2));' + USE, '"p", 2', '"p", 3'),
    "parallelism-if": (
        TOOL + 'int k = pt.getInt("n", 2); if (k > 2) env.setParallelism(3);' + USE, '"n", 2', '"n", 3',
    ),
    "uid": (TOOL + 'String u = pt.get("u", "a"); s.map(x -> x).uid(u).print();', '"u", "a"', '"u", "b"'),
    "library": (TOOL + "s = com.lib.Streams.enrich(s, 2);" + USE, "s, 2", "s, 3"),
    "library-variable": (TOOL + "int k = 2; s = com.lib.Streams.enrich(s, k);" + USE, "k = 2", "k = 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_what_a_decision_is_made_of_is_seen(name: str) -> None:
    body, before, after = EDITS[name]
    assert before in body
    changed = body.replace(before, after, 1)
    assert same_program(read(body, args=None), read(body, args=None))
    assert not same_program(read(body, args=None), read(changed, args=None))


MEMBERS = {
    "static-field": ("static int K = Integer.getInteger(\"k\", 2); static int L = K + 1;", "K + 1", "K + 2", "L > 2"),
    "constructor": (
        "int k; Job(int k) { this.k = k; } static Job make(String[] a) { return new Job(a.length + 1); }",
        "a.length + 1", "a.length + 2", "make(args).k > 2",
    ),
    "method": ("static int f(String[] a) { return a.length * 2; }", "* 2", "* 3", "f(args) > 2"),
    "method-branches": (
        "static int f(String[] a) { if (a.length > 1) return 1; return 3; }", "a.length > 1", "a.length > 2",
        "f(args) > 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MEMBERS)
def test_an_edit_elsewhere_of_what_a_decision_is_made_of_is_seen(name: str) -> None:
    members, before, after, condition = MEMBERS[name]
    body = f"{STREAM} if ({condition}) {MAP} {USE}"
    changed = members.replace(before, after, 1)
    assert changed != members
    assert same_program(read(body, members, args=None), read(body, members, args=None))
    assert not same_program(read(body, members, args=None), read(body, changed, args=None))


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
