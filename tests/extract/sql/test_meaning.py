from typing import Any

import pytest

from checker.compare.revisions.declared_fit import meaning_changed, taken_for_another
from checker.extract.sql.planner.meaning import Lineage, parse
from checker.model.declared_state import Meaning
from checker.model.nested import split_list
from checker.model.topology import Kind, Transformation


def node(number: int, description: str, *inputs: int) -> dict[str, Any]:
    return {"id": number, "name": "", "description": description, "in": [{"from": i} for i in inputs]}


def last(*descriptions: str) -> str | None:
    """The meaning of the last operator of a chain."""
    lineage = Lineage({"c.d.orders": "orders"})
    found = None
    for number, description in enumerate(descriptions):
        found = lineage.meaning(node(number, description, *([number - 1] if number else [])))
    return None if found is None else found.shown


SCAN = "[1]:TableSourceScan(table=[[c, d, orders]], fields=[k, v])"


def test_lists_are_split_outside_of_brackets_and_quotes() -> None:
    assert split_list("a, f(b, c), [d, e], 'x, y'") == ["a", "f(b, c)", "[d, e]", "'x, y'"]
    assert parse("[3]:Rank(rankRange=[rankStart=1, rankEnd=2], orderBy=[v DESC])").attributes == {
        "rankRange": "rankStart=1, rankEnd=2",
        "orderBy": "v DESC",
    }


def test_comparisons_are_no_brackets() -> None:
    assert split_list("(a > 5) IS TRUE AS x, b < 3, CAST(c AS ROW<d INT, e INT>), {A=<(f, 1), B=>(g, 2)}, h") == [
        "(a > 5) IS TRUE AS x", "b < 3", "CAST(c AS ROW<d INT, e INT>)", "{A=<(f, 1), B=>(g, 2)}", "h",
    ]  # fmt: skip


def test_a_filter_of_an_aggregate_counts() -> None:
    def counted(comparison: str) -> str | None:
        calc = f"Calc(select=[k, ({comparison}) IS TRUE AS $f1, (v > 1) IS TRUE AS $f2])"
        return last(SCAN, calc, "GroupAggregate(groupBy=[k], select=[k, COUNT(*) FILTER $f1 AS a, SUM($f2) AS b])")

    assert counted("v = 'x > 1.0)'") != counted("v = 'x > 1)'")
    assert len({counted(f"v {end}") for end in ("> 5", ">= 5", "< 5", "> 6", "> 5.5", "> 50")}) == 6


def test_sets_that_are_grouped_by_are_part_of_the_key() -> None:
    def grouped(*sets: str) -> str | None:
        projects = ", ".join(f"{{{columns}}}" for columns in sets)
        aggregate = "GroupAggregate(groupBy=[k, v, $e], select=[k, v, $e, COUNT(*) AS n])"
        return last(SCAN, f"Expand(projects=[{projects}])", aggregate)

    by_key, by_value = "k, null AS v, 1 AS $e", "null AS k, v, 2 AS $e"
    both = grouped("k, v, 0 AS $e", by_key)
    assert both != grouped("k, v, 0 AS $e", by_value)
    assert both != grouped("k, v, 0 AS $e", by_key, by_value)
    assert "set(0 without, 1 without orders.v)" in str(both)


def test_a_group_window_is_its_column_of_time_and_its_length() -> None:
    def windowed(window: str, name: str) -> str | None:
        attributes = f"window=[TumblingGroupWindow('{window})], properties=[{name}start]"
        return last(
            SCAN, f"GroupWindowAggregate(groupBy=[k], {attributes}, select=[k, SUM(v) AS s, start('{name}) AS s0])"
        )

    assert "select=[SUM(orders.v)" in str(windowed("w$, ts, 5000", "w$"))
    assert "TumblingGroupWindow(w, ts, 5000)" in str(windowed("hour, ts, 5000", "hour"))
    assert windowed("w$, ts, 5000", "w$") != windowed("w$, ts, 9000", "w$")


def test_what_is_united_has_the_columns_of_all() -> None:
    def united(*columns: str) -> str | None:
        lineage = Lineage({"c.d.l": "l", "c.d.r": "r"})
        lineage.meaning(node(0, f"TableSourceScan(table=[[c, d, l]], fields=[{columns[0]}])"))
        lineage.meaning(node(1, f"TableSourceScan(table=[[c, d, r]], fields=[{columns[1]}])"))
        counted = node(2, f"GroupAggregate(groupBy=[{columns[0]}], select=[COUNT(*) AS n])")
        found = lineage.meaning({**counted, "in": [{"from": 0, "type": 0}, {"from": 1, "type": 0}]})
        return None if found is None else found.shown

    assert str(united("a", "b")).startswith("GroupAggregate(groupBy=[l.a | r.b], select=[COUNT(*)])")
    assert united("a", "b") != united("a", "c")


def test_aliases_change_nothing() -> None:
    plain = last(SCAN, "[2]:GroupAggregate(groupBy=[k], select=[k, SUM(v) AS total])")
    renamed = last(
        SCAN,
        "[2]:Calc(select=[k AS customer, v AS amount])",
        "[9]:GroupAggregate(groupBy=[customer], select=[customer, SUM(amount) AS other])",
    )
    assert plain == renamed == "GroupAggregate(groupBy=[orders.k], select=[SUM(orders.v)]) that keeps SUM(orders.v)"


def test_another_aggregate_or_column_is_another_meaning() -> None:
    found = {
        last(SCAN, f"[2]:GroupAggregate(groupBy=[k], select=[k, {what} AS x])")
        for what in ("SUM(v)", "MAX(v)", "SUM(k)", "SUM(DISTINCT v)")
    }
    assert len(found) == 4


def test_a_join_is_its_type_and_its_condition_and_keeps_rows_by_the_key_that_it_is_given() -> None:
    def join(text: str, *keys: list[int]) -> Meaning:
        lineage = Lineage({"c.d.l": "l-1", "c.d.r": "r"})
        lineage.meaning(node(0, "TableSourceScan(table=[[c, d, l]], fields=[id, a])"))
        lineage.meaning(node(1, "TableSourceScan(table=[[c, d, r]], fields=[id, b])"))
        found = lineage.meaning({**node(2, text, 0, 1), "key_fields": keys})
        assert found is not None
        return found

    select = "select=[id, a, id0, b]"
    inner = join(f"[5]:Join(joinType=[InnerJoin], where=[(id = id0)], {select}, leftInputSpec=[NoUniqueKey])", [0], [0])
    assert inner == join(f"[7]:Join(joinType=[InnerJoin], where=[(id0 = id)], {select})", [0], [0])
    assert inner.shown == (
        "Join(joinType=[InnerJoin], where=[l-1.id = r.id]) that keeps l-1.id; r.id; l-1.id, l-1.a; r.id, r.b"
    )
    more = join(f"[5]:Join(joinType=[InnerJoin], where=[((id = id0) AND (a <> b))], {select})", [0], [0])
    assert more.computes == "Join(joinType=[InnerJoin], where=[l-1.a\u00a7 <> r.b\u00a7, l-1.id\u00a7 = r.id\u00a7])"
    assert more.keeps == inner.keeps
    assert more == join(f"[5]:Join(joinType=[InnerJoin], where=[((a <> b) AND (id0 = id))], {select})", [0], [0])
    two = f"[5]:Join(joinType=[InnerJoin], where=[((id = id0) AND (a = b))], {select})"
    assert join(two, [0, 1], [0, 1]).keeps != join(two, [1, 0], [1, 0]).keeps  # a key is written in an order


def test_what_keeps_nothing_has_no_meaning() -> None:
    assert last(SCAN) is None
    assert last(SCAN, "[2]:Calc(select=[k], where=[(v > 1)])") is None
    assert last("Source: anything") is None


def test_rows_that_are_kept_count_with_all_columns_and_their_order() -> None:
    scan = "[1]:TableSourceScan(table=[[c, d, orders]], fields=[k, a, b])"
    rank = "[3]:Rank(partitionBy=[k], orderBy=[a DESC], select=[k, a, x])"
    found = {last(scan, f"[2]:Calc(select=[k, a, {x} AS x])", rank) for x in ("a", "b")}
    assert len(found) == 2
    first = "[3]:Deduplicate(keep=[FirstRow], key=[k], order=[PROCTIME])"
    seen = {last(scan, f"[2]:Calc(select=[k, {x} AS x])", first) for x in ("a", "b")}
    assert len(seen) == 1  # by time of processing it only marks keys


def test_rows_over_which_is_aggregated_are_kept_but_by_time_of_processing_and_from_the_first_on() -> None:
    def kept(order: str, bound: str) -> bool:
        found = set()
        for columns in ("k, a, b", "k, b, a"):
            scan = f"[1]:TableSourceScan(table=[[c, d, orders]], fields=[{columns}])"
            select = f"select=[{columns}, SUM(a) AS w0$o0]"
            window = f"window=[ RANG BETWEEN {bound} PRECEDING AND CURRENT ROW]"
            calc = f"[2]:Calc(select=[{columns}, {order} AS t])"
            found.add(last(scan, calc, f"[3]:OverAggregate(partitionBy=[k], orderBy=[t ASC], {window}, {select})"))
        return len(found) == 2

    assert kept("ts", "UNBOUNDED")
    assert kept("PROCTIME()", "3600000")
    assert not kept("PROCTIME()", "UNBOUNDED")


def test_a_sink_that_orders_changes_keeps_rows() -> None:
    scan = "[1]:TableSourceScan(table=[[c, d, orders]], fields=[k, a, b])"
    found = {last(scan, f"[2]:Calc(select=[{c}])", "[3]:SinkMaterializer(pk=[k])") for c in ("k, a, b", "k, b, a")}
    assert len(found) == 2
    assert last(scan, "[2]:Sink(table=[c.d.s], fields=[k, a, b])") is None


def test_what_a_match_gives_is_nothing_that_it_keeps() -> None:
    def match(measures: str, columns: str = "k, a, b") -> str | None:
        scan = f"[1]:TableSourceScan(table=[[c, d, orders]], fields=[{columns}])"
        rest = "rowsPerMatch=[ONE ROW PER MATCH], pattern=[(_UTF-16LE'A')], define=[{A=>(LAST(*.$1, 0), 3)}]"
        return last(scan, f"[2]:Match(partitionBy=[k], measures=[{measures}], {rest})")

    assert match("FINAL(FIRST(A.$1, 0)) AS x") == match("FINAL(MIN(A.$1)) AS y")
    assert match("FINAL(FIRST(A.$1, 0)) AS x") != match("FINAL(FIRST(A.$1, 0)) AS x", "k, b, a")


RANK = "Rank(partitionBy=[k], orderBy=[v DESC])"


def test_columns_that_trade_places_are_read_as_each_other_and_renamed_ones_are_not() -> None:
    def ranked(columns: str, projects: str = "k, a, b", kept: str = RANK) -> Transformation:
        lineage = Lineage({"c.d.t": "t"}, {"c.d.t": columns.split(", ")})
        lineage.meaning(node(0, f"TableSourceScan(table=[[c, d, t]], fields=[{columns}])"))
        lineage.meaning(node(1, f"Calc(select=[{projects}])", 0))
        return Transformation(id="rank", kind=Kind.OPERATOR, meaning=lineage.meaning(node(2, kept, 1)))

    base = ranked("k, a, b")
    assert base.computes == "Rank(partitionBy=[t.k], orderBy=[v DESC]) that keeps t.k, t.a, t.b"
    for same in (
        ranked("k, a2, b", "k, a2, b"),
        ranked("k, new, a, b2", "k, a AS x, b2"),
        ranked("b, a, k"),
        ranked("k, a, b", "k, a AS b, b AS a"),
    ):
        assert not meaning_changed(base, same)
    for misread in (
        ranked("k, b, a", "k, b, a"),
        ranked("k, a, b", "k, b AS a, a AS b"),
        ranked("k, a2, a", "k, a2, a"),
        ranked("k, a, c", "k, c, a"),
    ):
        assert taken_for_another(base, misread)
    assert not taken_for_another(base, ranked("k, a, b", kept=RANK.replace("DESC", "ASC")))
    assert meaning_changed(base, ranked("k, a, b", kept=RANK.replace("DESC", "ASC")))


@pytest.mark.parametrize(
    ("projects", "misread"),
    [
        ("k, 'new' AS a, UPPER(b) AS b", False),
        ("k, 'old' AS a, LOWER(v) AS b", False),
        ("k, v AS a, LOWER(b) AS b", False),
        ("k, LOWER(b) AS a, 'old' AS b", True),
        ("k, 'old' AS a", True),
        ("v AS k, 'old' AS a, LOWER(b) AS b", True),
    ],
)
def test_a_value_in_rows_that_is_computed_otherwise_is_not_another_one(projects: str, misread: bool) -> None:
    def written(projects: str) -> Transformation:
        lineage = Lineage({"c.d.t": "t"}, {"c.d.t": ["k", "v", "b"]})
        lineage.meaning(node(0, "TableSourceScan(table=[[c, d, t]], fields=[k, v, b])"))
        lineage.meaning(node(1, f"Calc(select=[{projects}])", 0))
        described = {**node(2, "SinkMaterializer(pk=[k])", 1), "key_fields": [[0]]}
        return Transformation(id="sink", kind=Kind.OPERATOR, inputs=("calc",), meaning=lineage.meaning(described))

    base = written("k, 'old' AS a, LOWER(b) AS b")
    assert meaning_changed(base, written(projects))
    assert bool(taken_for_another(base, written(projects))) is misread


def test_an_accumulator_is_the_same_under_another_filter() -> None:
    def counted(select: str, limit: int = 5) -> Transformation:
        lineage = Lineage({"c.d.t": "t"})
        lineage.meaning(node(0, "TableSourceScan(table=[[c, d, t]], fields=[k, v, w])"))
        lineage.meaning(node(1, f"Calc(select=[k, v, w, (v > {limit}) IS TRUE AS $f3])", 0))
        local = node(2, "LocalGroupAggregate(groupBy=[k], select=[k, SUM(v) FILTER $f3 AS sum$0, MIN(w) AS min$0])", 1)
        lineage.meaning(local)
        aggregate = {**node(3, f"GlobalGroupAggregate(groupBy=[k], select=[k, {select}])", 2), "key_fields": [[0]]}
        return Transformation(id="agg", kind=Kind.OPERATOR, meaning=lineage.meaning(aggregate))

    base = counted("SUM(sum$0) AS a, MIN(min$0) AS b")
    assert meaning_changed(base, counted("SUM(sum$0) AS a, MIN(min$0) AS b", limit=9))
    assert not taken_for_another(base, counted("SUM(sum$0) AS a, MIN(min$0) AS b", limit=9))
    assert taken_for_another(base, counted("SUM(sum$0) AS a, MAX(min$0) AS b"))
    assert taken_for_another(base, counted("MIN(min$0) AS a, SUM(sum$0) AS b"))


def test_a_windows_time_counts_through_its_local_aggregation() -> None:
    def window(time: str) -> str | None:
        return last(
            "[1]:TableSourceScan(table=[[c, d, orders]], fields=[k, a, b])",
            f"[2]:Calc(select=[k, TO_TIMESTAMP_LTZ({time}, 3) AS rt])",
            "[3]:LocalWindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[rt], size=[1 min])], select=[k, COUNT(*) AS"
            " count1$0, slice_end('w$) AS $slice_end])",
            "[4]:GlobalWindowAggregate(groupBy=[k], window=[TUMBLE(slice_end=[$slice_end], size=[1 min])], select=[k,"
            " COUNT(count1$0) AS n, start('w$) AS window_start, end('w$) AS window_end])",
        )

    assert window("a") is not None
    assert window("a") != window("b")


def test_columns_of_csv_are_known_by_their_place_and_of_other_formats_by_their_name() -> None:
    def keyed(by_place: list[str], *columns: str) -> str | None:
        lineage = Lineage({"c.d.t": "t"}, {"c.d.t": columns}, by_place)
        lineage.meaning(node(0, f"TableSourceScan(table=[[c, d, t]], fields=[{', '.join(columns)}])"))
        return lineage.meaning(node(1, f"GroupAggregate(groupBy=[{columns[0]}], select=[COUNT(*) AS n])", 0))

    assert keyed(["c.d.t"], "a", "b") == keyed(["c.d.t"], "x", "b")
    assert keyed([], "a", "b") != keyed([], "x", "b")


def test_the_time_zone_of_a_session_counts_where_instants_do() -> None:
    def counted(zone: str, key: str) -> str | None:
        lineage = Lineage({"c.d.t": "t"}, time_zone=zone)
        lineage.meaning(node(0, "TableSourceScan(table=[[c, d, t]], fields=[k, ts])"))
        lineage.meaning(node(1, f"Calc(select=[{key} AS day])", 0))
        return lineage.meaning(node(2, "GroupAggregate(groupBy=[day], select=[day, COUNT(*) AS n])", 1))

    by_day = "DATE_FORMAT(TO_TIMESTAMP_LTZ(ts, 3), 'yyyy-MM-dd')"
    assert counted("UTC", by_day) != counted("Asia/Shanghai", by_day)
    assert counted("UTC", "k") == counted("Asia/Shanghai", "k")
