"""Edits of what a key selector calls without naming it: how objects are shown, overridden, ordered and hashed."""

import pytest

from checker.compare.fit.states import Releases
from checker.compare.fit.types import Fit
from checker.compare.revisions.declared_fit import key_fit, key_part_fit
from checker.extract import java
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Transformation

SELECTORS = (
    "o -> o.key()",
    "o -> String.valueOf(o.money())",
    'o -> "" + o.money()',
    "o -> o.level.ordinal()",
    "o -> { int sum = 0; for (int i = 0; i < 3; i++) { sum += o.id().hashCode(); } return sum; }",
    "o -> o.id()",
)
CODE = {
    "Order": "public class Order { public String name; public int total; public Level level;\n"
    '  public String key() { return "k" + name; }\n  public Money money() { return new Money(total); }\n'
    "  public Id id() { return new Id(name); } }",
    "Sub": 'public class Sub extends Order { @Override public String key() { return "s" + name; } }',
    "Level": "public enum Level { LOW, HIGH }",
    "Money": "public class Money { final int amount; Money(int amount) { this.amount = amount; }\n"
    '  @Override public String toString() { return amount + "E"; }\n  String shown() { return amount + "shown"; } }',
    "Id": "public class Id { public String name; public Id() {} public Id(String name) { this.name = name; }\n"
    "  @Override public int hashCode() { return hashed() + 1; }\n  private int hashed() { return name.length(); }\n"
    "  @Override public boolean equals(Object o) { return o instanceof Id && ((Id) o).name.equals(name); }\n"
    '  public String shown() { return name + "!"; } }',
    "Job": "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "public class Job { static Order parse(String line) { return new Order(); }\n"
    "  public static void main(String[] args) throws Exception {\n"
    "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    '    var orders = env.fromElements("a").map(Job::parse);\n'
    + "".join(f'    orders.keyBy({s}).reduce((a, b) -> b).uid("{n}");\n' for n, s in enumerate(SELECTORS))
    + "    env.execute(); } }",
}


def changed(name: str, before: str, after: str) -> set[int]:
    """The selectors whose keys are not certain to be the old ones after an edit."""
    assert before in CODE[name]
    old, new = _keyed(CODE), _keyed({**CODE, name: CODE[name].replace(before, after)})
    assert len(old) == len(SELECTORS)
    return {
        int(uid)
        for uid in old
        if {key_fit(old[uid], new[uid], Releases(None, None)).fit, key_part_fit(old[uid], new[uid]).fit} != {Fit.SAME}
    }


def _keyed(code: dict[str, str]) -> dict[str, Transformation]:
    files = MemoryFiles({f"src/main/java/app/{n}.java": f"package app;\n{text}".encode() for n, text in code.items()})
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="app.Job", flink="1.20.1")
    return {str(t.uid): t for t in java.extract(files, entry).transformations if t.key is not None}


@pytest.mark.parametrize(
    ("name", "before", "after", "keys"),
    [
        ("Sub", '"s" + name', '"t" + name', {0}),
        ("Money", 'amount + "E"', '"E" + amount', {1, 2}),
        ("Level", "LOW, HIGH", "HIGH, LOW", {3}),
        ("Id", "name.length()", "name.length() + 1", {4, 5}),
        ("Job", "int i = 0; i < 3; i++", "int n = 0; n < 3; n++", set()),
        ("Money", '"shown"', '"s"', set()),
        ("Id", 'name + "!"', 'name + "?"', set()),
    ],
)
def test_what_a_key_depends_on_without_naming_it(name: str, before: str, after: str, keys: set[int]) -> None:
    assert changed(name, before, after) == keys
