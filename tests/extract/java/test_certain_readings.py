"""What a JVM decides otherwise than it seems: overloads by final classes, views, a skipped ``peek``, loops."""

import pytest

from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.model.topology import Transformation
from checker.model.unknowns import Unknown
from checker.settings import Settings

PROGRAM = """package app; import java.util.*; import java.util.stream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class App {
  static <T> T first(List<? extends T> all, T otherwise) { return all.isEmpty() ? otherwise : all.get(0); }
  static String first(String all, String otherwise) { return "[" + otherwise + "]"; }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    List<String> list = new ArrayList<>(List.of("a", "b", "c"));
    int[] count = {0};
    %s
    env.execute(); } }"""


def mapped(body: str) -> Transformation:
    files = MemoryFiles({"src/main/java/app/App.java": (PROGRAM % body).encode()})
    (entry,) = registry.discover(files, Settings()).entries
    read = registry.extract(files, entry)
    assert read is not None
    assert read.topology is not None
    return next(t for t in read.topology.transformations if t.operator == "map")


def uid(expression: str, before: str = "") -> object:
    return mapped(f"{before} env.fromData(1).map(x -> x).uid({expression}).print();").uid


def test_no_other_class_is_a_string():
    assert uid('first(new ArrayList<String>(), "c")') == "c"
    assert uid('first("a", "c")') == "[c]"


WAYS = """class Ways { static String last = "";
  static String go(Runnable r) { last = "run"; return last; }
  static <T> String go(Supplier<T> s) { last = "given"; return last; } }
Ways.go(() -> { args.clone(); });"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('Ways.go(() -> "a")', "given"),
        ("Ways.go(() -> { return args; })", "given"),
        ('Ways.go(() -> first("a", "b"))', "given"),
        ("Ways.last", "run"),
    ],
)
def test_a_lambda_fits_what_its_body_gives(call: str, expected: str):
    """``Runnable`` and ``Supplier`` take no arguments both (JLS 15.12.2.5)."""
    assert uid(call, WAYS) == expected


@pytest.mark.parametrize("view", ["list.subList(0, args.length)", "list.listIterator(args.length)"])
def test_what_is_changed_through_a_view_of_unknown_bounds_is_not_known(view: str):
    assert isinstance(uid('"m" + list.size()', f"var view = {view};"), Unknown)


def test_a_change_by_a_view_of_known_bounds_is_not_followed():
    assert isinstance(uid('"m" + list', "list.subList(0, 2).clear();"), Unknown)


def test_counting_may_skip_what_only_peeks():
    assert isinstance(uid('"m" + count[0]', "list.stream().peek(x -> count[0]++).count();"), Unknown)


def test_settings_of_a_loop_of_unknown_length_are_not_known():
    declared = "var kept = env.fromData(1).map(x -> x); for (String a : args) { kept.%s; } kept.print();"
    assert isinstance(mapped(declared % "slotSharingGroup(a)").slot_sharing_group, Unknown)
    assert isinstance(mapped(declared % "setParallelism(3)").parallelism, Unknown)
