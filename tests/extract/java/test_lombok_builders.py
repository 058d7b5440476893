"""Builders that Lombok generates for constructors and static methods."""

from __future__ import annotations

import pytest

from checker.model.unknowns import Unknown
from tests.extract.java.programs import physical, read

MERGE = """
class Merge extends RichMapFunction<Long, Long> {
  final String suffix; final int parallelism;
  @lombok.Builder%s
  Merge(String name, Integer times) { this.suffix = "merge-" + name; this.parallelism = times == null ? 9 : times * 2; }
  public Long map(Long value) { return value; }
}
"""
BY_METHOD = """
class Merge extends RichMapFunction<Long, Long> {
  final String suffix; final int parallelism;
  Merge(String suffix, int parallelism) { this.suffix = suffix; this.parallelism = parallelism; }
  @Builder(builderMethodName = "merging", buildMethodName = "done")
  static Merge of(String name, int times) { return new Merge("merge-" + name, times * 2); }
  public Long map(Long value) { return value; }
}
"""


def merged(made: str, others: str) -> tuple[object, ...]:
    body = f"Merge m = {made}; env.fromSequence(1, 2).map(m).uid(m.suffix).setParallelism(m.parallelism).print();"
    found = next(t for t in physical(read(body, others={"Merge": others})) if t.operator == "map")
    return found.uid, found.parallelism, found.function


@pytest.mark.parametrize(
    ("made", "others", "expected"),
    [
        ('Merge.builder().name("a").times(2).build()', MERGE % "", ("merge-a", 4, "acme.Merge")),
        ('Merge.builder().name("a").build()', MERGE % "", ("merge-a", 9, "acme.Merge")),
        ('Merge.builder().times(1).name("a").name("b").build()', MERGE % "", ("merge-b", 2, "acme.Merge")),
        ('Merge.with().name("a").build()', MERGE % '(builderMethodName = "with")', ("merge-a", 9, "acme.Merge")),
        ('Merge.merging().name("a").times(2).done()', BY_METHOD, ("merge-a", 4, "acme.Merge")),
    ],
)
def test_what_a_generated_builder_makes_is_an_object_of_the_class(
    made: str, others: str, expected: tuple[object, ...]
) -> None:
    assert merged(made, others) == expected


def test_a_builder_is_one_object_that_changes() -> None:
    body = (
        'var b = Merge.builder(); b.name("a"); if (env != null) { b.times(3); } Merge m = b.build();'
        " env.fromSequence(1, 2).map(m).uid(m.suffix).setParallelism(m.parallelism).print();"
    )
    found = next(t for t in physical(read(body, others={"Merge": MERGE % ""})) if t.operator == "map")
    assert (found.uid, found.parallelism) == ("merge-a", 6)


@pytest.mark.parametrize(
    "others",
    [MERGE % '(setterPrefix = "with")', (MERGE % "").replace("(String name", "(@Singular String name")],
)
def test_a_builder_with_other_setters_is_not_followed(others: str) -> None:
    uid, *_ = merged('Merge.builder().name("a").build()', others)
    assert isinstance(uid, Unknown)
