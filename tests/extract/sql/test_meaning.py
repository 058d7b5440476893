from __future__ import annotations

from typing import Any

from checker.extract.sql.planner.meaning import Lineage, parse, split_list


def node(number: int, description: str, *inputs: int) -> dict[str, Any]:
    return {"id": number, "name": "", "description": description, "in": [{"from": i} for i in inputs]}


def last(*descriptions: str) -> str | None:
    """The meaning of the last operator of a chain."""
    lineage = Lineage({"c.d.orders": "orders"})
    found = None
    for number, description in enumerate(descriptions):
        found = lineage.meaning(node(number, description, *([number - 1] if number else [])))
    return found


SCAN = "[1]:TableSourceScan(table=[[c, d, orders]], fields=[k, v])"


def test_lists_are_split_outside_of_brackets_and_quotes() -> None:
    assert split_list("a, f(b, c), [d, e], 'x, y'") == ["a", "f(b, c)", "[d, e]", "'x, y'"]
    assert parse("[3]:Rank(rankRange=[rankStart=1, rankEnd=2], orderBy=[v DESC])").attributes == {
        "rankRange": "rankStart=1, rankEnd=2",
        "orderBy": "v DESC",
    }


def test_aliases_change_nothing() -> None:
    plain = last(SCAN, "[2]:GroupAggregate(groupBy=[k], select=[k, SUM(v) AS total])")
    renamed = last(
        SCAN,
        "[2]:Calc(select=[k AS customer, v AS amount])",
        "[9]:GroupAggregate(groupBy=[customer], select=[customer, SUM(amount) AS other])",
    )
    assert plain == renamed == "GroupAggregate(groupBy=[orders.k], select=[SUM(orders.v)])"


def test_another_aggregate_or_column_is_another_meaning() -> None:
    found = {
        last(SCAN, f"[2]:GroupAggregate(groupBy=[k], select=[k, {what} AS x])")
        for what in ("SUM(v)", "MAX(v)", "SUM(k)", "SUM(DISTINCT v)")
    }
    assert len(found) == 4


def test_a_join_is_its_type_and_its_keys() -> None:
    def join(text: str) -> str | None:
        lineage = Lineage({"c.d.l": "l", "c.d.r": "r"})
        lineage.meaning(node(0, "TableSourceScan(table=[[c, d, l]], fields=[id, a])"))
        lineage.meaning(node(1, "TableSourceScan(table=[[c, d, r]], fields=[id, b])"))
        return lineage.meaning(node(2, text, 0, 1))

    select = "select=[id, a, id0, b]"
    inner = join(f"[5]:Join(joinType=[InnerJoin], where=[(id = id0)], {select}, leftInputSpec=[NoUniqueKey])")
    assert inner == join(f"[7]:Join(joinType=[InnerJoin], where=[(id0 = id)], {select})")
    assert inner == "Join(joinType=[InnerJoin], where=[l.id = r.id])"
    assert inner != join(f"[5]:Join(joinType=[LeftOuterJoin], where=[(id = id0)], {select})")
    more = join(f"[5]:Join(joinType=[InnerJoin], where=[((id = id0) AND (a <> b))], {select})")
    assert more == inner
    outer = join(f"[5]:Join(joinType=[LeftOuterJoin], where=[(id = id0)], {select})")
    assert outer == "Join(joinType=[LeftOuterJoin], where=[l.id = r.id])"
    counted = join(f"[5]:Join(joinType=[LeftOuterJoin], where=[((id = id0) AND (a <> b))], {select})")
    assert counted == "Join(joinType=[LeftOuterJoin], where=[l.a <> r.b, l.id = r.id])"
    assert counted == join(f"[5]:Join(joinType=[LeftOuterJoin], where=[((a <> b) AND (id0 = id))], {select})")


def test_what_keeps_nothing_has_no_meaning() -> None:
    assert last(SCAN) is None
    assert last(SCAN, "[2]:Calc(select=[k], where=[(v > 1)])") is None
    assert last("Source: anything") is None
