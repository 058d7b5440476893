"""Java as the interpreter understands it: every program gives uids that show what was computed."""

import pytest

from checker.model.unknowns import Cause, Unknown
from tests.extract.java.programs import read, uids

SOURCE = "env.fromSequence(1, 2)"


def uid_of(expression: str, members: str = "", before: str = "", others: dict[str, str] | None = None) -> object:
    topology = read(f"{before} {SOURCE}.uid({expression}).print();", members, others)
    assert len(uids(topology)) == 1
    return uids(topology)[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("\"a\" + 1 + 2L + true + 'c' + null", "a12truecnull"),
        ('1 + 2 + "x"', "3x"),
        ('"a".toUpperCase().concat("b").substring(1)', "b"),
        ('String.format("%s-%03d", "op", 7)', "op-007"),
        ('String.join("-", "a", "b", "c")', "a-b-c"),
        ('String.join("-", Arrays.asList("x", "y"))', "x-y"),
        ('"a,b,c".split(",")[1]', "b"),
        ('"a.b".replace(".", "-")', "a-b"),
        ('"a b".replaceAll("\\\\s", "_")', "a_b"),
        ('Stream.of("a", "b").map(s -> s + "!").collect(Collectors.joining("|", "<", ">"))', "<a!|b!>"),
        ('Optional.of("x").map(String::toUpperCase).orElse("y")', "X"),
        ('Optional.<String>empty().orElseGet(() -> "none")', "none"),
        ("new StringBuilder(\"a\").append(1).append('b').toString()", "a1b"),
        ('Integer.valueOf(Integer.parseInt("12") / 5).toString()', "2"),
        ('"" + (Integer.MAX_VALUE + 1)', "-2147483648"),
        ('"" + (7 % -3) + (-7 / 2)', "1-3"),
        ('true ? "yes" : "no"', "yes"),
        ('switch (2) { case 1 -> "one"; case 2, 3 -> "some"; default -> "many"; }', "some"),
        ("Job.class.getSimpleName() + Job.class.getName()", "Jobacme.Job"),
        ('"""\n    text\n    block""".strip()', "text\nblock"),
        ('"\\u00e9\\t\\101"', "é\tA"),
        ('Objects.requireNonNull("r")', "r"),
        ("((Supplier<String>) Job::name).get()", "named"),
    ],
)
def test_expressions(expression: str, expected: str) -> None:
    assert uid_of(expression, 'static String name() { return "named"; }') == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("int n = 0; for (int i = 0; i < 5; i++) { if (i == 3) continue; n += i; } String u = \"\" + n;", "7"),
        ("String u = \"\"; for (String s : List.of(\"a\", \"b\")) u += s;", "ab"),
        ("int n = 1; while (n < 50) n *= 3; String u = \"n\" + n;", "n81"),
        ("int n = 0; do { n++; } while (n < 3); String u = \"\" + n;", "3"),
        ("String u = \"\"; outer: for (;;) { for (int j = 0; ; j++) { if (j == 2) break outer; u += j; } }", "01"),
        ("String u; try { u = Integer.parseInt(\"x\") + \"\"; } catch (NumberFormatException e) { u = \"caught\"; }",
         "caught"),
        ("String u = \"a\"; try { u = \"b\"; } finally { u = u + \"f\"; }", "bf"),
        ("String u; switch (\"k\") { case \"j\": u = \"1\"; break; case \"k\": u = \"2\"; default: u = \"3\"; }", "3"),
        ("Map<String, String> m = new LinkedHashMap<>(); m.put(\"z\", \"1\"); m.put(\"a\", \"2\"); String u = \"\";"
         " for (Map.Entry<String, String> e : m.entrySet()) u += e.getKey() + e.getValue();", "z1a2"),
        ("Map<String, String> m = new HashMap<>(); m.put(\"zebra\", \"1\"); m.put(\"ant\", \"2\"); String u = \"\";"
         " for (String k : m.keySet()) u += k;", "zebraant"),
        ("List<String> l = new ArrayList<>(); l.add(\"b\"); l.add(0, \"a\"); String u = l.get(0) + l.size();", "a2"),
        ("String[] a = new String[] {\"p\", \"q\"}; a[1] = \"r\"; String u = a[1] + a.length;", "r2"),
        ("Object o = \"s\"; String u = o instanceof String s ? s + \"!\" : \"no\";", "s!"),
        ("int[] n = {0}; Runnable r = () -> n[0]++; r.run(); r.run(); String u = \"\" + n[0];", "2"),
        ("class Local { String v() { return \"local\"; } } String u = new Local().v();", "local"),
        ("final String c = \"cap\"; String u = new Object() { String v() { return c + \"tured\"; } }.v();", "captured"),
        ("List<String> l = new ArrayList<>(); List.of(1, 2).forEach(i -> l.add(\"n\" + i)); String u = l.toString();",
         "[n1, n2]"),
    ],
)  # fmt: skip
def test_statements(before: str, expected: str) -> None:
    assert uid_of("u", before=before) == expected


MEMBERS = [
    ("enum E { A(\"x\"), B(\"y\") { String id() { return \"own\"; } }; final String id; E(String i) { id = i; }"
     " String id() { return id; } }", "E.A.id() + E.B.id() + E.B.name() + E.valueOf(\"A\").ordinal()", "xownB0"),
    ("static abstract class P { String n() { return \"p\" + m(); } abstract String m(); }"
     " static class C extends P { String m() { return \"c\"; } String n() { return \"<\" + super.n(); } }",
     "new C().n()", "<pc"),
    ("static String f(int i) { return \"int\"; } static String f(String s) { return \"string\"; }"
     " static String f(Object o) { return \"object\"; }", "f(1) + f(\"a\") + f(new Object())", "intstringobject"),
    ("static String f(String... s) { return \"\" + s.length; } static String f(String s) { return \"one\"; }",
     "f() + f(\"a\") + f(\"a\", \"b\")", "0one2"),
    ("static class B { String a = \"?\"; B a(String v) { a = v; return this; } String build() { return a; } }",
     "new B().a(\"built\").build()", "built"),
    ("record R(String a, int b) { R { a = a + \"!\"; } String both() { return a() + b; } }",
     "new R(\"r\", 2).both()", "r!2"),
    ("interface N { String name(); default String twice() { return name() + name(); } }",
     "((N) () -> \"n\").twice()", "nn"),
    ("static final String P = \"pre\"; static final String Q = P + \"fix\"; static String s; static { s = Q + \"!\"; }",
     "s", "prefix!"),
    ("class Inner { String v() { return field + \"in\"; } } String field = \"out\";"
     " String go() { return new Inner().v(); }", "new Job().go()", "outin"),
    ("static <T> T id(T t) { return t; } static String g(List<String> l) { return \"l\" + l.size(); }",
     "id(\"g\") + g(List.of(\"a\"))", "gl1"),
    ('static String f(long n) { return "long"; } static String f(Object n) { return "Object"; }',
     "f(List.of(1).get(0)) + f(1)", "Objectlong"),
    ("static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }", "\"\" + fact(5)", "120"),
    ("static class C { static int n = 4; static String s = \"c\"; }",
     "\"\" + (-(C.n) + C.n) + ((C.n) - 1 - (C.n) /* sum */ + 2 * 3) + (2 * (C.n) - 1) + ((C.s) + \"x\")", "057cx"),
    ("static String v = \"one\"; static String next() { v = v + \"+\"; return v; }", "next() + next()", "one+one++"),
]  # fmt: skip


@pytest.mark.parametrize(("members", "expression", "expected"), MEMBERS)
def test_members(members: str, expression: str, expected: str) -> None:
    assert uid_of(expression, members) == expected


def test_hash_sets_iterate_as_the_jvm_does_or_are_not_known() -> None:
    before = 'Set<String> s = new HashSet<>(List.of("zebra", "ant", "bee"));'
    assert uid_of("s.toString()", before=before) == "[zebra, bee, ant]"
    assert isinstance(uid_of("s.toString()", before=f'{before} s.remove("bee");'), Unknown)


def test_constants_across_files_and_static_imports() -> None:
    others = {
        "Names": 'public final class Names { public static final String A = Base.PREFIX + "a"; }',
        "Base": 'public interface Base { String PREFIX = "base-"; }',
    }
    assert uid_of("Names.A + acme.Base.PREFIX", others=others) == "base-abase-"


@pytest.mark.parametrize(
    "expression",
    [
        "UUID.randomUUID().toString()",
        '"op-" + System.currentTimeMillis()',
        '"op-" + System.nanoTime()',
        '"op-" + new Random().nextInt(5)',
        '"op-" + Math.random()',
        '"op-" + new Object().hashCode()',
        '"" + new Job()',
        '"at-" + java.time.Instant.now()',
    ],
)
def test_values_of_one_run_are_unknown_as_such(expression: str) -> None:
    uid = uid_of(expression)
    assert isinstance(uid, Unknown)
    assert uid.cause is Cause.NON_DETERMINISTIC
    assert uid.location is None or uid.location.file.endswith("Job.java")


@pytest.mark.parametrize(
    "expression",
    [
        "System.getenv(\"NAME\")",
        "System.getProperty(\"name\", \"x\")",
        "Library.name()",
        "new Library().name()",
        "Set.of(\"a\", \"b\").iterator().next()",
        "Map.of(\"a\", 1, \"b\", 2).keySet().iterator().next()",
    ],
)  # fmt: skip
def test_what_the_source_does_not_say_is_unknown(expression: str) -> None:
    assert isinstance(uid_of(expression), Unknown)


def test_equal_texts_from_arguments_are_not_identical_objects() -> None:
    body = 'String m = ParameterTool.fromArgs(args).get("m"); env.fromSequence(1, 2).uid(m == "x" ? "a" : "b").print();'
    topology = read(body, args=("--m", "x"))
    uid = uids(topology)[0]
    assert isinstance(uid, Unknown)
    assert set(uid.options) == {"a", "b"}
