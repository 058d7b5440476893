from __future__ import annotations

from typing import Any

from checker.compare.revisions.meanings import meaning_changed
from checker.extract.sql.planner.meaning import Lineage, parse
from checker.model.lists_in_texts import split_list
from checker.model.topology import Kind, Transformation


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


def test_comparisons_are_no_brackets() -> None:
    assert split_list("(a > 5) IS TRUE AS x, b < 3, CAST(c AS ROW<d INT, e INT>), {A=<(f, 1), B=>(g, 2)}, h") == [
        "(a > 5) IS TRUE AS x", "b < 3", "CAST(c AS ROW<d INT, e INT>)", "{A=<(f, 1), B=>(g, 2)}", "h",
    ]  # fmt: skip


def test_a_filter_of_an_aggregate_counts_and_the_order_of_its_comparison_does_not() -> None:
    def counted(comparison: str) -> str | None:
        calc = f"Calc(select=[k, ({comparison}) IS TRUE AS $f1, (v > 1) IS TRUE AS $f2])"
        return last(SCAN, calc, "GroupAggregate(groupBy=[k], select=[k, COUNT(*) FILTER $f1 AS a, SUM($f2) AS b])")

    assert counted("v > 5") == counted("5 < v") == counted("v > 5.0")
    assert counted("v = 'x > 1.0)'") != counted("v = 'x > 1)'")
    assert len({counted(f"v {end}") for end in ("> 5", ">= 5", "< 5", "> 6", "> 5.5", "> 50")}) == 6


def test_a_number_that_rows_of_a_match_are_compared_with_counts_by_its_value() -> None:
    def matching(number: str) -> str | None:
        return last(
            SCAN, f"Match(partitionBy=[k], pattern=[(_UTF-16LE'A')], define=[{{A=>(PREV(A.$1, 0), {number})}}])"
        )

    assert matching("1") == matching("1.0:DECIMAL(2, 1)")
    assert len({matching(number) for number in ("1", "1.5:DECIMAL(2, 1)", "10.0:DECIMAL(3, 1)")}) == 3


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
        return lineage.meaning({**counted, "in": [{"from": 0, "type": 0}, {"from": 1, "type": 0}]})

    assert united("a", "b") == "GroupAggregate(groupBy=[l.a | r.b], select=[COUNT(*)])"
    assert united("a", "b") != united("a", "c")


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
    rows = "rows=[l.id, l.a], rows=[r.id, r.b]"
    assert inner == f"Join(joinType=[InnerJoin], where=[l.id = r.id], {rows})"
    assert inner != join(f"[5]:Join(joinType=[LeftOuterJoin], where=[(id = id0)], {select})")
    more = join(f"[5]:Join(joinType=[InnerJoin], where=[((id = id0) AND (a <> b))], {select})")
    assert more == inner
    outer = join(f"[5]:Join(joinType=[LeftOuterJoin], where=[(id = id0)], {select})")
    assert outer == f"Join(joinType=[LeftOuterJoin], where=[l.id = r.id], {rows})"
    counted = join(f"[5]:Join(joinType=[LeftOuterJoin], where=[((id = id0) AND (a <> b))], {select})")
    assert counted == f"Join(joinType=[LeftOuterJoin], where=[l.a <> r.b, l.id = r.id], {rows})"
    assert counted == join(f"[5]:Join(joinType=[LeftOuterJoin], where=[((a <> b) AND (id0 = id))], {select})")


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


def test_columns_of_rows_are_the_same_by_their_names_or_by_their_places() -> None:
    def joined(*columns: str, kept: str) -> Transformation:
        lineage = Lineage({"c.d.t": "t"}, {"c.d.t": columns})
        lineage.meaning(node(0, f"TableSourceScan(table=[[c, d, t]], fields=[{', '.join(columns)}])"))
        lineage.meaning(node(1, f"Calc(select=[k, {kept} AS x])", 0))
        return Transformation(
            id="rank", kind=Kind.OPERATOR, meaning=lineage.meaning(node(2, "Rank(partitionBy=[k])", 1))
        )

    base = joined("k", "a", "b", kept="a")
    assert base.computes == "Rank(partitionBy=[t.k], rows=[t.k, t.a])"
    assert not meaning_changed(base, joined("k", "a2", "b", kept="a2"))  # renamed where it stands
    assert not meaning_changed(base, joined("k", "new", "a", "b", kept="a"))  # another place, the same name
    assert meaning_changed(base, joined("k", "a", "b", kept="b"))


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
