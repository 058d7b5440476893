"""Reports to render: real graphs of the core, with verdicts of every kind laid over them.

The comparison here is not the product's: it gives each operator the verdict that a test asks for, so that a renderer
is seen with all of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checker.flink import translate
from checker.model.comparison import (
    Cause,
    CauseKind,
    Comparison,
    Match,
    MatchBasis,
    OperatorComparison,
    PathVerdict,
    StateChange,
)
from checker.model.declared_state import StateDescriptor
from checker.model.findings import Evidence, Finding, OperatorSide, RestorePath, Severity, Suppressed, Verdict
from checker.model.nested import Json
from checker.model.pipelines import Note, Reason
from checker.model.stream_graph import NodeKey
from checker.model.topology import Kind, PartitionerKind, Topology, Transformation
from checker.model.translation import Translation
from checker.model.unknowns import Cause as UnknownCause
from checker.model.unknowns import Location, Unknown
from checker.report.check.document import pipeline_document, report_document
from checker.rules.base import Revision, RuleContext

SOURCE = "src/main/java/com/acme/OrdersJob.java"
RULE: Json = {
    "severity": "error",
    "title": "A stateful operator's id changed",
    "page": '## What changed\nThe id moved.\n\n## Fix\n```java\n.uid("orders")\n```\n',
}


def rules(slug: str = "stateful-operator-id-changed") -> Json:
    """The catalogue as ``rules_document`` gives it, with one rule or as many as asked for."""
    return {slug: dict(RULE), "uid-missing": {**RULE, "severity": "warning", "title": "A stateful operator has no uid"}}


def operator(
    handle: str, *inputs: str, name: str | None = None, uid: str | None = None, line: int = 1, **more: Any
) -> Transformation:
    """One operator, stateful unless told otherwise."""
    state = more.pop("state", (StateDescriptor(name="total", kind="value", value_type="Long"),))
    kind = more.pop("kind", Kind.OPERATOR if inputs else Kind.SOURCE)
    return Transformation(
        id=handle,
        kind=kind,
        inputs=inputs,
        name=name or handle,
        uid=uid,
        state=state if kind is Kind.OPERATOR else (),
        location=Location(SOURCE, line, 9),
        uid_location=Location(SOURCE, line + 1, 13) if uid else None,
        **more,
    )


def hashed(handle: str, source: str) -> Transformation:
    """A keyBy."""
    return Transformation(id=handle, kind=Kind.PARTITION, inputs=(source,), partitioner=PartitionerKind.HASH)


def orders(*, filtered: bool, extra: Iterable[Transformation] = ()) -> Topology:
    """The example everybody knows; ``filtered`` inserts a filter that moves the ids behind it."""
    nodes = [operator("orders", name="Kafka: orders", uid="orders-source", line=20)]
    if filtered:
        nodes.append(operator("valid", "orders", name="Valid orders", state=(), line=24))
    nodes += [
        operator("parse", "valid" if filtered else "orders", name="Parse", state=(), line=28),
        hashed("by-customer", "parse"),
        operator("totals", "by-customer", name="Totals per customer", line=33, keyed=True),
        operator("alerts", "totals", name="Alerts", uid="alerts", state=(), line=40),
        hashed("by-region", "totals"),
        operator("regions", "by-region", name="Regions", uid="regions", line=47, keyed=True),
        operator("sink", "alerts", name="Alerts out", line=52, kind=Kind.LEGACY_SINK),
        *extra,
    ]
    return Topology(name="orders", transformations=tuple(nodes), flink="1.20", parallelism=4)


def side(translation: Translation, key: NodeKey) -> OperatorSide | None:
    """One operator as a report names it."""
    node = translation.node_by_key.get(key)
    if node is None or translation.job_graph is None:
        return None
    vertex = translation.job_graph.vertices[translation.job_graph.vertex_of[node.number]]
    return OperatorSide.of_node(node, replace(translation.identities[node.number], user=None), vertex.name)


def compared(base: Topology, head: Topology, verdicts: Mapping[str, Verdict]) -> tuple[Comparison, Any, Any]:
    """Matched by handle, with the verdicts asked for."""
    before, after = translate(base), translate(head)
    rows = []
    for key in dict.fromkeys([*before.node_by_key, *after.node_by_key]):
        old, new = side(before, key), side(after, key)
        node = after.node_by_key.get(key) or before.node_by_key[key]
        stateful = node.stateful
        moved = old is not None and new is not None and old.id != new.id
        verdict = verdicts.get(str(key)) or (
            Verdict.STATELESS if not stateful else Verdict.FAILS if moved else Verdict.RESTORES
        )
        cause = None
        if moved:
            cause = Cause(
                kind=CauseKind.OPERATOR_INSERTED,
                operator="valid",
                operator_name="Valid orders",
                text="'Valid orders' was inserted before 'Parse', so every generated id behind it is another",
                path=("Valid orders", "Parse", node.name),
                location=Location(SOURCE, 24, 9),
            )
        rows.append(
            OperatorComparison(
                base=old,
                head=new,
                match=Match(basis=MatchBasis.DECLARATION if moved else MatchBasis.ID),
                stateful=stateful,
                id_changed=moved if old and new else None,
                verdicts=tuple(
                    PathVerdict(
                        path=path, allow_non_restored_state=allow, reason=f"the state of {node.name} has no operator",
                        verdict=Verdict.DROPPED if allow and verdict is Verdict.FAILS else verdict,
                    )
                    for path, allow in ((RestorePath.SAVEPOINT, False), (RestorePath.SAVEPOINT, True),
                                        (RestorePath.LAST_STATE, False))
                ),
                cause=cause,
                claimed_by=side(after, "regions") if verdict is Verdict.MISASSIGNED else None,
                state_changes=(StateChange(base=StateDescriptor(name="total", kind="value", value_type="Integer"),
                                           head=StateDescriptor(name="total", kind="value", value_type="Long")),)
                if key == "regions" else (),
            )
        )  # fmt: skip
    return Comparison(pipeline=head.name, operators=tuple(rows), base_flink="1.20", head_flink="1.20"), before, after


def finding(row: OperatorComparison, pipeline: str, **more: Any) -> Finding:
    """What the rule about changed ids would say of a row."""
    shown_side = row.head or row.base
    assert shown_side is not None
    return Finding(
        rule=more.pop("rule", "stateful-operator-id-changed"),
        severity=more.pop("severity", Severity.ERROR),
        pipeline=pipeline,
        message=more.pop(
            "message", f"State of '{shown_side.name}' is lost: its generated id changed and nothing claims the old one"
        ),
        operator_key=shown_side.uid or str(shown_side.key),
        base=row.base,
        head=row.head,
        evidence=(Evidence("operator id", row.base and row.base.id, row.head and row.head.id), Evidence("uid")),
        repair=more.pop("repair", f'.uid("{shown_side.name}")\n.setUidHash("{row.base.id if row.base else ""}")'),
        location=shown_side.location,
        **more,
    )


def pipeline(base: Topology, head: Topology, verdicts: Mapping[str, Verdict] | None = None) -> Json:
    """One judged pipeline with findings for whatever does not restore."""
    comparison, before, after = compared(base, head, verdicts or {})
    bad = [r for r in comparison.operators if r.verdicts[0].verdict in (Verdict.FAILS, Verdict.MISASSIGNED)]
    findings = [finding(row, head.name) for row in bad]
    return document(comparison, findings, before, after)


def document(
    comparison: Comparison,
    findings: Sequence[Finding],
    before: Translation | None,
    after: Translation | None,
    *,
    sides: Sequence[Mapping[str, Any]] = ({}, {}),
    **more: Any,
) -> Json:
    """The document of a compared pipeline that was read from Java, but for what is said of its sides."""
    base, head = (
        Revision(**{"extractor": "java", "translation": translation, **side})
        for translation, side in zip((before, after), sides, strict=True)
    )
    context = RuleContext(pipeline=comparison.pipeline, base=base, head=head, comparison=comparison)
    return pipeline_document(context, findings, **more)


def report(*pipelines: Json, **more: Any) -> Json:
    """A whole report around judged pipelines."""
    commits = ("a" * 40, "b" * 40)
    return report_document(
        base={
            "asked": "main",
            "label": "main (aaaaaaaaaa)",
            "commit": commits[0],
            "note": "base: merge base with main",
        },
        head={"asked": "HEAD", "label": "HEAD (bbbbbbbbbb)", "commit": commits[1], "note": None},
        pipelines=pipelines,
        rules=more.pop("rules", rules()),
        fail_on=more.pop("fail_on", Severity.ERROR),
        repository=("acme/orders", more.pop("repository_url", None)),
        **more,
    )


def example() -> Json:
    """A filter inserted into the orders pipeline, beside an unreadable and a suppressed one."""
    base, head = orders(filtered=False), orders(filtered=True)
    comparison, before, after = compared(base, head, {})
    rows = {str((r.head or r.base).key): r for r in comparison.operators if r.head or r.base}  # type: ignore[union-attr]
    followers = tuple(r.head for k, r in rows.items() if k == "sink" and r.head)
    findings = [
        finding(rows["totals"], "orders", followers=followers),
        finding(rows["totals"], "orders", rule="uid-missing", severity=Severity.WARNING,
                message="'Totals per customer' keeps state under a generated id", repair=None),
    ]  # fmt: skip
    silenced = Suppressed(
        finding=finding(rows["sink"], "orders", rule="uid-missing", severity=Severity.INFO),
        reason="stateless tap, removed in Q1", source="savepoint-checker.toml", expires="2027-03-31",
    )  # fmt: skip
    judged = document(comparison, findings, before, after, suppressed=[silenced])
    return report(judged, unreadable(), undecided(), notes=[Note(message="etl.sql: SQL is not read")],
                  loosened=["savepoint-checker.toml: rule state-renamed is off"])  # fmt: skip


def unreadable() -> Json:
    """A pipeline of which one side could not be read."""
    failed = {"failure": "ClicksJob.java does not parse at line 7"}
    return document(Comparison(pipeline="clicks", operators=()), [], None, None, sides=({}, failed))


def undecided() -> Json:
    """A pipeline with a value that nobody gave."""
    unknown = Unknown(
        "the uid of 'Dedup' comes from --suffix, which nobody gave", UnknownCause.ARGUMENT, "--arg suffix=VALUE",
        Location(SOURCE, 77, 5),
    )  # fmt: skip
    topology = Topology(
        name="dedup",
        transformations=(operator("in", line=70), operator("dedup", "in", name="Dedup", uid=None, line=76)),
    )
    comparison, before, after = compared(topology, topology, {"dedup": Verdict.UNDECIDED})
    open_comparison = Comparison(
        pipeline="dedup", operators=comparison.operators, base_flink="1.20", head_flink="2.0", undecided=(unknown,)
    )
    return document(open_comparison, [], before, after)


def reflective() -> Json:
    """A pipeline with a value that only running its program tells."""
    unknown = Unknown(
        "the result of 'invoke' is not evaluated", UnknownCause.UNSUPPORTED, None, Location(SOURCE, 77, 5)
    )
    topology = orders(filtered=False)
    comparison, before, after = compared(topology, topology, {"regions": Verdict.UNDECIDED})
    reason = Reason(why="--allow-exec is not given", settled_by="--allow-exec")
    return document(replace(comparison, undecided=(unknown,)), [], before, after, reason=reason)


def captured(base: str = "1.20.5", head: str = "1.20.5") -> Json:
    """A pipeline whose program was built and run."""
    same = orders(filtered=False)
    comparison, before, after = compared(same, same, {})
    hows = (f'read by real Flink {version} (build "mvn -q -DskipTests package")' for version in (base, head))
    return document(comparison, [], before, after, sides=[{"extractor": "flink", "how": how} for how in hows])


def large(operators: int, *, wide: int = 5) -> Json:
    """A pipeline of so many operators: ``wide`` branches of chains with a shuffle every fourth operator."""

    def build(inserted: bool) -> Topology:
        nodes: list[Transformation] = [operator("source", name="Events", uid="events", line=1)]
        tails = ["source"] * wide
        if inserted:
            nodes.append(operator("inserted", "source", name="Inserted filter", state=(), line=2))
            tails[0] = "inserted"
        for number in range(operators - 1):
            branch = number % wide
            above = tails[branch]
            if number // wide % 4 == 3:
                nodes.append(hashed(f"by-{number}", above))
                above = f"by-{number}"
            pinned = number % 7 == 0
            nodes.append(
                operator(f"op-{number}", above, name=f"Operator {number}", uid=f"op-{number}" if pinned else None,
                         line=10 + number, state=() if number % 3 else (StateDescriptor(name="s", kind="value"),))
            )  # fmt: skip
            tails[branch] = f"op-{number}"
        return Topology(name="large", transformations=tuple(nodes), flink="1.20", parallelism=8)

    return pipeline(build(False), build(True), {"op-21": Verdict.MISASSIGNED, "op-22": Verdict.UNDECIDED})


def named(rename: Callable[[str], str]) -> Json:
    """The example with every text of a program replaced by ``rename`` of it: for hostile names."""

    def topology(filtered: bool) -> Topology:
        from dataclasses import replace

        plain = orders(filtered=filtered)
        return replace(
            plain,
            name=rename("orders"),
            transformations=tuple(
                replace(t, name=rename(str(t.name)), uid=rename(t.uid) if isinstance(t.uid, str) else t.uid,
                        location=Location(rename(SOURCE), 3, 1))
                if not t.kind.virtual else t
                for t in plain.transformations
            ),
        )  # fmt: skip

    return report(pipeline(topology(False), topology(True), {"regions": Verdict.MISASSIGNED}))


def of_whole(rule: str, severity: str, message: str) -> Json:
    """A finding about a pipeline as a whole, as a report has it."""
    return {
        "rule": rule, "severity": severity, "message": message, "operator_key": rule, "fingerprint": "0" * 12,
        "base": None, "head": None, "evidence": [], "followers": [], "repair": "look", "location": None,
        "suppression": {"configuration": "", "comment": None}, "pipeline": "p",
    }  # fmt: skip
