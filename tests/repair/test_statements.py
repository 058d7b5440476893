from dataclasses import replace

from checker.model.findings import Finding, Severity
from checker.model.topology import Kind, Topology, Transformation
from checker.repair.advice import is_planned, with_statement_advice


def plan(*, calc: bool, sinks: int = 1) -> Topology:
    transformations = [Transformation(id="Source: orders", kind=Kind.SOURCE, operator="sql TableSourceScan")]
    if calc:
        transformations.append(
            Transformation(id="Calc", kind=Kind.OPERATOR, inputs=("Source: orders",), operator="sql Calc")
        )
    last = transformations[-1].id
    transformations.append(Transformation(id="p", kind=Kind.PARTITION, inputs=(last,)))
    transformations.append(Transformation(id="agg", kind=Kind.OPERATOR, inputs=("p",), operator="sql GroupAggregate"))
    transformations += [
        Transformation(id=f"s{n}", kind=Kind.SINK, inputs=("agg",), name=f"s{n}", operator="sql Sink")
        for n in range(sinks)
    ]
    return Topology(name="job", transformations=tuple(transformations))


def advice(rule: str, base: Topology, head: Topology) -> str:
    finding = Finding(
        rule=rule, severity=Severity.ERROR, pipeline="job", message="", operator_key="agg", repair="pin it"
    )
    (found,) = with_statement_advice([finding], base, head)
    return found.repair or ""


def test_a_changed_statement_keeps_its_plan() -> None:
    text = advice("stateful-id-changed", plan(calc=False), plan(calc=True))
    assert "COMPILE PLAN" in text
    assert "SET 'table.exec.uid.generation' = 'DISABLED'" in text, "Flink refuses a script's savepoint else"
    assert "pin" not in text


def test_a_plan_that_has_uids_keeps_them() -> None:
    with_uids = tuple(replace(t, uid=f"1_{t.id}") for t in plan(calc=True).transformations)
    base = replace(plan(calc=True), transformations=with_uids)
    assert "DISABLED" not in advice("stateful-id-changed", base, plan(calc=False))


def test_statements_in_another_order_are_put_back() -> None:
    base = plan(calc=True, sinks=2)
    *before, first, second = base.transformations
    head = replace(base, transformations=(*before, second, first))
    text = advice("state-misassigned", base, head)
    assert "restore the order of the statements" in text
    assert "COMPILE PLAN" not in text
    assert "restore the order of the statements" not in advice("stateful-id-changed", base, plan(calc=False, sinks=2))


def test_a_program_around_tables_compiles_no_plan() -> None:
    base, head = plan(calc=False), plan(calc=True)
    own = Transformation(id="agg", kind=Kind.OPERATOR, inputs=("Source: orders",), uid="own")
    mixed = replace(head, transformations=(*head.transformations, replace(own, id="own")))
    text = advice("stateful-id-changed", base, mixed)
    assert "leave the streams in front of the tables" in text
    assert "COMPILE PLAN" not in text
    itself = tuple(own if t.id == "agg" else t for t in head.transformations)
    assert advice("stateful-id-changed", base, replace(head, transformations=itself)) == "pin it"


def test_a_missing_uid_is_no_call_in_sql() -> None:
    assert "EXECUTE PLAN" in advice("uid-missing", plan(calc=True), plan(calc=True))
    whole = replace(plan(calc=True), extractor="sql")
    bare = tuple(replace(t, operator=None if t.kind is not Kind.SOURCE else t.operator) for t in whole.transformations)
    script = replace(whole, transformations=bare)
    assert "EXECUTE PLAN" in advice("uid-missing", script, script)


def test_changed_types_and_other_findings() -> None:
    assert "as a job of its own" in advice("value-type-changed", plan(calc=True), plan(calc=True))
    assert advice("anything-else", plan(calc=True), plan(calc=True)) == "pin it"
    assert is_planned(plan(calc=True))
    assert not is_planned(Topology(name="java", transformations=(Transformation(id="m", kind=Kind.SOURCE),)))
