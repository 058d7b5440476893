"""Library models give what a JVM gives (recorded from one), or nothing."""

import pytest

from checker.errors import NotFollowedError
from checker.model.unknowns import Unknown
from tests.extract.java.programs import read, uids

# ruff: noqa: E501
EXPRESSIONS = {
    '"" + (args.length > 100 ? 2.0 : 1.0) + (args.length > 100 ? 2 : 4) + (args.length > 100 ? \'b\' : \'a\')': "1.04a",
    'String.format("%03d|%5s|%-5s|%s", 7, "a", "b", true)': "007|    a|b    |true",
    'Arrays.toString("a,b,,c,,".split(",", -1)) + "a,b,,c,,".split(",").length': "[a, b, , c, , ]4",
    'Arrays.toString("".split(","))': "[]",
    '"" + (long) 1e19 + (int) Double.NaN + (byte) 200 + (char) (\'a\' + 1)': "92233720368547758070-56b",
    '"" + 2.0f + (0.1 + 0.2) + 100.0 / 3': "2.00.3000000000000000433.333333333333336",
    "'a' + 1 + \"\" + 'a' + 1": "98a1",
    '"" + (Integer.valueOf(127) == Integer.valueOf(127)) + Integer.valueOf(5).equals(5L)': "truefalse",
    'new ArrayList<>(List.of(3, 5, 7)).remove(Integer.valueOf(5)) + "" + new ArrayList<>(List.of(3, 5)).remove(1)': "true5",
    'String.join("", new HashSet<>(List.of("red", "green", "blue")))': "redgreenblue",
    '"" + Stream.of(3, 1, 2).sorted().collect(Collectors.toList())': "[1, 2, 3]",
    'Objects.toString(null, "x") + List.of("a", "b").size()': "x2",
    '"" + new Properties().size() + -7 % 3 + (5 / 2.0)': "0-12.5",
    'Integer.parseInt("-12") + "" + Integer.valueOf(5)': "-125",
}  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression(expression: str) -> None:
    assert uids(read(f"env.fromSequence(1, 2).uid({expression}).print();")) == [EXPRESSIONS[expression]]


STATEMENTS = {
    'String u = ""; try { new ArrayList<String>().remove(0); } catch (IndexOutOfBoundsException e) { u = "i"; }': "i",
    'String u = ""; try { Object o = 1; String s = (String) o; } catch (ClassCastException e) { u = "c"; }': "c",
    'String u = ""; try { Objects.requireNonNull(null); } catch (NullPointerException e) { u = "n"; }': "n",
    'Set<String> s = new HashSet<>(); String u = "" + s.add("a") + s.add("a") + s.addAll(List.of()) + s.remove("q");': (
        "truefalsefalsefalse"
    ),
    'Map<String, Integer> m = new HashMap<>(); m.merge("a", 1, Integer::sum); m.merge("a", 1, Integer::sum);'
    'int n = 5; n += 1.7; char c = \'a\'; c += 1; long x = Integer.MAX_VALUE + 1; String u = "" + n + c + x;': (
        "6b-2147483648"
    ),
    'String u = ""; try { u += new HashMap<String, String>().get("x").length(); } catch (NullPointerException e) { u = "n"; }': "n",
    'String u = ""; try { int n = new HashMap<String, Integer>().get("x"); u += n; } catch (NullPointerException e) { u = "n"; }': "n",
    'String u = ""; try { Integer n = null; u += Math.max(n, 1) + n * 2; } catch (NullPointerException e) { u = "n"; }': "n",
}  # fmt: skip


OPEN = {
    'Properties d = new Properties(); d.setProperty("zeta", "1"); d.setProperty("n", "0"); Properties p = new Properties(d);'
    ' p.setProperty("orders", "2"); p.setProperty("n", "3"); p.put("five", 5); p.setProperty("eu-west", "x");'
    ' Set<String> s = p.stringPropertyNames(); p.setProperty("late", "1"); String u = "" + s + s.contains(null);'
    ' try { s.remove("n"); } catch (UnsupportedOperationException e) { u += new TreeSet<>(s); }': (
        "[zeta, eu-west, orders, n]false[eu-west, n, orders, zeta]"
    ),
    'Map<String, Integer> m = new HashMap<>(Map.of("x", 3, "w", 4)); m.entrySet().removeIf(e -> e.getValue() % 2 == 0);'
    ' String u = "" + m; m.put("q", 6); m.entrySet().retainAll(List.of(Map.entry("q", 6))); u += m;': "{x=3}{q=6}",
    'List<String> l = new ArrayList<>(List.of("a", "bb", "c")); for (Iterator<String> i = l.iterator(); i.hasNext();)'
    ' if (i.next().length() > 1) i.remove(); String u = "" + l;': "[a, c]",
    'List<String> l = new ArrayList<>(List.of("a", "b", "c")); l.subList(0, 2).clear(); String u = "" + l;': "[c]",
    'Map<String, Integer> m = new TreeMap<>(Map.of("a", 1, "b", 2)); m.values().removeIf(v -> v > 1);'
    ' for (var e : m.entrySet()) e.setValue(9); m.keySet().remove("z"); String u = "" + m;': "{a=9}",
    'String[] a = {"x", "y"}; List<String> l = Arrays.asList(a); l.set(0, "z"); a[1] = "w"; String u = "" + l + a[0];': (
        "[z, w]z"
    ),
    'String u = "" + Collections.singletonMap("a", 1).values().remove(2) + Map.of("a", 1).keySet().remove("b")'
    ' + Collections.nCopies(2, "x").addAll(List.of()) + Collections.emptyList().removeAll(List.of(1));': "falsefalsefalsefalse",
    'String u = "" + Stream.of(1, 2).toList().indexOf(null) + Stream.of(1).toList().contains(null);': "-1false",
    'String u = "" + (true ? 1 : 2.0) + (1 > 0 ? (char) 97 : 0L);': "1.097",
    'String u = "" + 1.0f / 3 + 1e21;': "0.333333341.0E21",
    'String u = String.format("%.2f|%x", 1.005, -1);': "1.01|ffffffff",
}  # fmt: skip
"""Changes by views, of what refuses them, and behind an iteration: what a JVM gives, or nothing."""


@pytest.mark.parametrize("statements", STATEMENTS)
def test_statements(statements: str) -> None:
    assert uids(read(f"{statements} env.fromSequence(1, 2).uid(u).print();")) == [STATEMENTS[statements]]


@pytest.mark.parametrize("statements", OPEN)
def test_what_is_not_followed_is_not_known(statements: str) -> None:
    try:
        (read_uid,) = uids(read(f"{statements} env.fromSequence(1, 2).uid(u).print();"))
    except NotFollowedError:
        return
    assert isinstance(read_uid, Unknown) or read_uid == OPEN[statements]


def test_an_enormous_width_takes_no_memory() -> None:
    (found,) = uids(read('env.fromSequence(1, 2).uid(String.format("%2000000000d", 5)).print();'))
    assert isinstance(found, Unknown)


def test_a_class_that_a_loop_of_unknown_length_initializes_does_not_start_anew_after_it() -> None:
    body = 'for (String a : args) Count.next(); env.fromSequence(1, 2).uid("u" + Count.next()).print();'
    others = {"Count": "class Count { static int n = 0; static int next() { return ++n; } }"}
    (found,) = uids(read(body, others=others, args=None))
    assert isinstance(found, Unknown)
