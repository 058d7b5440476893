"""What leaves state undecided is said once, by its end, with its place and what settles it."""

from dataclasses import replace

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.extract.python.interpreter.choices import depending
from checker.extract.unfollowed.unread_code import of_one_program
from checker.flink import translate
from checker.model.account import RUN, TRY, Account, Edit, Explanation, Thing, Verdict, Why
from checker.model.comparison import Comparison
from checker.model.declared_state import SerializerTree
from checker.model.translation import Translation
from checker.model.unknowns import Location, Unknown
from checker.rules.base import Revision, RuleContext
from checker.rules.check.edit_not_understood import find as edits_not_understood
from checker.rules.check.key_type_changed import find as key_type_changed
from checker.rules.check.type_change_to_check import find as type_change_to_check
from checker.rules.check.undecided import find as undecided


def context(*gaps: Unknown, failure: str | None = None, edits: tuple[Edit, ...] = ()) -> RuleContext:
    side = Revision(translation=None, failure=failure)
    comparison = Comparison(pipeline="p", operators=(), base_flink=None, head_flink=None, undecided=gaps, gaps=gaps)
    return RuleContext(pipeline="p", base=side, head=side, comparison=comparison, account=Account(edits=edits))


def edit(file: str, line: int, name: str, reason: str) -> Edit:
    return Edit(
        thing=Thing.DECLARATION, name=name, base=None, head=Location(file, line),
        explanation=Explanation.NOT_UNDERSTOOD, why=Why.UNREAD, reason=reason,
    )  # fmt: skip


def test_a_reason_inside_of_another_one_at_its_place_is_not_said_again() -> None:
    place = Location("a/Job.java", 7, 2)
    short, longer = Unknown("more steps", location=place), Unknown("more steps, and its code changed", location=place)
    elsewhere = Unknown("more steps", location=Location("a/Job.java", 9))
    hits = list(undecided.find(context(short, longer, elsewhere)))
    assert [(h.message.rpartition(": ")[2], str(h.location)) for h in hits] == [
        ("more steps, and its code changed", "a/Job.java:7"),
        ("more steps", "a/Job.java:9"),
    ]
    assert all("--allow-exec" in (h.repair or "") for h in hits)


def test_scripts_are_not_run_so_nothing_advises_to() -> None:
    python = context(Unknown("an import", location=Location("jobs/a.py", 2)))
    (hit,) = undecided.find(python)
    assert hit.repair == f"settle it with {TRY}, or accept this finding with a reason"
    state = Verdict(Why.STATE).edit(Thing.DECLARATION, "a.f", None, Location("jobs/a.py", 2))
    edited = context(edits=(state,))
    for extractor, advised in (("java", RUN), ("python", TRY)):
        side = replace(edited.head, extractor=extractor)
        (hit,) = edits_not_understood.find(replace(edited, head=side))
        assert advised in (hit.repair or "")
        assert (extractor == "java") == (RUN in (hit.repair or ""))


def test_what_settles_an_unknown_is_its_repair() -> None:
    (hit,) = undecided.find(context(Unknown("no argument", settled_by="--arg a=VALUE")))
    assert hit.repair == "settle it with --arg a=VALUE, or values in savepoint-checker.toml"


def test_edits_are_listed_by_place_and_an_unreadable_pipeline_is_said_once() -> None:
    edits = (
        edit("a/Job.java", 3, "a.Job.main(String[])", "unread"),
        edit("a/Job.java", 9, "a.Job.Count.<init>(int)", "unread"),
        edit("a/Key.java", 1, "a.Key.hashCode()", "unread"),
    )
    unread = context(failure="more steps than are followed", edits=edits)
    assert list(undecided.find(unread)) == []
    (hit,) = edits_not_understood.find(unread)
    assert hit.message.endswith("neither revision of the pipeline could be read: more steps than are followed")
    assert [e.after for e in hit.evidence] == [
        "a/Job.java:3: Job.main",
        "a/Job.java:9: Job.Count.constructor",
        "a/Key.java:1: Key.hashCode",
    ]


def test_a_chain_of_dependencies_is_said_by_its_end() -> None:
    inner = Unknown(depending("it", Unknown("argument 'x'")))
    assert depending("how often a loop runs", inner) == "how often a loop runs depends on argument 'x'"


def keyed(key: str | None, serializer: SerializerTree | None = None) -> Revision:
    operators = [
        {"id": "s", "kind": "source", "uid": "s"},
        {"id": "k", "kind": "partition", "inputs": ["s"], "partitioner": "hash"},
        {"id": "o", "kind": "operator", "inputs": ["k"], "uid": "o", "keyed": True, "key_type": key,
         "state": [{"name": "n", "kind": "value", "value_type": "Long"}]},
        {"id": "x", "kind": "legacy-sink", "inputs": ["o"]},
    ]  # fmt: skip
    read = topology_of({"topology": 1, "name": "p", "flink": "1.20", "transformations": operators})
    transformations = tuple(replace(t, key_serializer=serializer) if t.keyed else t for t in read.transformations)
    return Revision(translation=translate(replace(read, transformations=transformations)))


def compared(base: Revision, head: Revision) -> RuleContext:
    assert base.translation is not None
    assert head.translation is not None
    comparison = compare_pipelines("p", base.translation, head.translation)
    return RuleContext(pipeline="p", base=base, head=head, comparison=comparison)


def test_a_key_that_only_its_serializer_names_has_no_types_to_show() -> None:
    narrow, wide = (SerializerTree(name="RowData", types=types) for types in (("INT",), ("INT", "INT")))
    (hit,) = key_type_changed.find(compared(keyed(None, narrow), keyed(None, wide)))
    assert "RowData(INT) → RowData(INT, INT)" in hit.message
    assert hit.evidence == ()
    (hit,) = key_type_changed.find(compared(keyed("Integer"), keyed("Long")))
    assert [(e.before, e.after) for e in hit.evidence] == [("Integer", "Long")]


def test_advice_about_a_key_speaks_of_keys() -> None:
    (hit,) = type_change_to_check.find(compared(keyed("com.acme.Key"), keyed("com.acme.OtherKey")))
    assert "keyed state never moves to other keys" in (hit.repair or "")
    assert "Kryo" not in (hit.repair or "")


def planned(question: str) -> Translation:
    """A program of which only the second shape could be planned, and there not which states its operator keeps."""
    state = {"unknown": "no such file", "cause": "external", "derived_from": question}
    source = {"id": "src", "kind": "source", "uid": "src"}
    kept = {
        "id": "a",
        "kind": "operator",
        "inputs": ["src"],
        "uid": "a",
        "meaning": "COUNT(x)",
        "state": state,
    }
    end = {"id": "end", "kind": "legacy-sink", "inputs": ["a"]}
    unread = [source, {"id": "b", "kind": "unknown", "inputs": ["src"], "unknown": "no factory"}]
    shape = [source, {**kept, "operator": "map", "stateful": True}, end]
    variants = [{"when": "args", "transformations": unread}, {"when": "no args", "transformations": shape}]
    document = {"topology": 1, "name": "p", "transformations": unread, "variants": variants}
    unknown = {"unknown": "args", "cause": "argument"}
    return translate(of_one_program(topology_of({**document, "variants_unknown": unknown})))


def test_what_is_open_in_a_later_shape_of_the_program_has_a_finding() -> None:
    base, head = planned("plan 1"), planned("plan 2")
    comparison = compare_pipelines("p", base, head)
    sides = Revision(translation=base), Revision(translation=head)
    found = RuleContext(pipeline="p", base=sides[0], head=sides[1], comparison=comparison)
    messages = [hit.message for hit in undecided.find(found)]
    assert any("no such file, and the expression changed from plan 1" in message for message in messages), messages
