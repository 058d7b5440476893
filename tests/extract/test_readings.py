"""Small programs and what is read of each: the rows of ``tests/data/readings``, in Java or (``script``) in Python.

A row has what stands in ``main`` (``body``), ``members`` of its class, ``others`` that are classes of their own and
further ``files``; a script has modules as ``others``. ``args`` are what it is started with, null where nobody knows;
``entry`` has more of how it is configured. ``refused`` is what a program is refused with, ``says`` what a reason
matches. Every other key is a question of ``LOOKS`` with its answer: an unknown value is ``?``.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from checker.compare.revisions.programs import same_program
from checker.errors import ExtractionError, NotFollowedError
from checker.extract import java, python
from checker.flink import translate
from checker.model.declared_state import StateKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Unknown
from tests.extract.java.programs import files, physical, uids
from tests.extract.python.small_scripts import script_files
from tests.extract.tables import Row, rows


def revision(row: Row) -> MemoryFiles:
    """The files of a row's program."""
    if "script" in row:
        return script_files(row["script"], row.get("others"), row.get("files"))
    return files(row["body"], row.get("members", ""), row.get("others"), row.get("files"))


def read(row: Row) -> Topology:
    """What is read of a row's program."""
    args = row.get("args", None if "script" in row else ())
    more = {"parallelism": None if "script" in row else 4, **row.get("entry", {})}
    more["values"] = tuple(more.get("values", {}).items())
    language, place = (python, {"file": "job.py"}) if "script" in row else (java, {"main": "acme.Job", "flink": "1.20"})
    kind = ExtractorKind.PYTHON if "script" in row else ExtractorKind.JAVA
    known: dict[str, Any] = {**place, **more, "args": tuple(args or ()), "discovered": args is None}
    return language.extract(revision(row), PipelineEntry(name="Job", extract=kind, **known))


def shown(value: object) -> object:
    return "?" if isinstance(value, Unknown) else value


def unknowns(topology: Topology) -> list[tuple[str, Unknown]]:
    """What is not known of settings and operators, by what it is."""
    fields = ("uid", "name", "parallelism", "max_parallelism", "slot_sharing_group", "committer", "unknown")
    of_operators = [(field, getattr(t, field)) for t in physical(topology) for field in fields]
    asked = [("default parallelism", topology.parallelism), ("shape", topology.variants_unknown), *of_operators]
    return [(field, value) for field, value in asked if isinstance(value, Unknown)]


def described(field: str, value: Unknown) -> str:
    """``parallelism: argument, 2 or 4, --arg p=VALUE``, as far as it has these."""
    options = " or ".join(sorted(map(str, value.options)))
    return f"{field}: {', '.join(filter(None, (value.cause.value, options, value.settled_by)))}"


def node_uids(topology: Topology, *, known: bool) -> list[object]:
    """The uids of the nodes whose id is known, or of those whose is not."""
    translation = translate(topology)
    assert translation.stream_graph is not None
    nodes = translation.stream_graph.nodes
    return [nodes[i.node].uid for i in translation.identities if (i.generated is not None) is known]


LOOKS: dict[str, Callable[[Topology], object]] = {
    "uids": lambda topology: [shown(uid) for uid in uids(topology)],
    "names": lambda topology: [shown(t.name) for t in physical(topology)],
    "kinds": lambda topology: [t.kind.value for t in physical(topology)],
    "operators": lambda topology: [t.operator for t in physical(topology)],
    "parallelisms": lambda topology: [shown(t.parallelism) for t in physical(topology)],
    "inputs": lambda topology: [list(t.inputs) for t in physical(topology)],
    "holes": lambda topology: [list(t.inputs) for t in topology.transformations if t.kind is Kind.UNKNOWN],
    "reads": lambda topology: sorted(topology.files),
    "open": lambda topology: [described(*found) for found in unknowns(topology)],
    "certain": lambda topology: translate(topology).certain,
    "shapes": lambda topology: sorted(sorted(t.uid for t in v.transformations if t.uid) for v in topology.variants),
    "shapes_when": lambda topology: {v.when: [t.name for t in v.transformations] for v in topology.variants},
    "sizes": lambda topology: sorted(len(variant.transformations) for variant in topology.variants),
    "one_shape": lambda topology: not topology.variants and topology.variants_unknown is None,
    "identified": lambda topology: [uid for uid in node_uids(topology, known=True) if uid is not None],
    "not_identified": lambda topology: len(node_uids(topology, known=False)),
    "states": lambda topology: {
        t.uid: {shown(s.name): shown(s.value_type) for s in t.state if s.kind is not StateKind.TIMERS}
        for t in topology.transformations
        if t.uid is not None and t.state and not isinstance(t.state, Unknown)
    },
    "stateful": lambda topology: {n.uid: shown(n.stateful) for n in translate(topology).node_by_key.values() if n.uid},
}
ROWS = dict(rows("readings/*/*.yaml"))


@pytest.mark.parametrize("name", ROWS)
def test_what_is_read_of_a_small_program(name: str) -> None:
    row = ROWS[name]
    if "refused" in row:
        with pytest.raises(ExtractionError, match=row["refused"]):
            read(row)
        return
    try:
        topology = read(row)
    except NotFollowedError:
        assert "uids_unless_open" in row
        return
    answers = {question: look(topology) for question, look in LOOKS.items() if question in row}
    assert answers == {question: row[question] for question in answers}
    assert answers.keys() & row.keys() or row.keys() & {"uids_unless_open", "says"}
    if "uids_unless_open" in row:
        assert all(isinstance(uid, Unknown) or uid == row["uids_unless_open"] for uid in uids(topology))
    if "says" in row:
        reasons = [f"{value.reason} at {value.location and value.location.file}" for _, value in unknowns(topology)]
        assert any(re.search(row["says"], reason) for reason in reasons), reasons
    paths = set(revision(row).paths())
    assert all(value.location is None or value.location.file in paths for _, value in unknowns(topology))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if "unknown-steps" in name and "certain" in row])
def test_the_same_program_is_the_same(name: str) -> None:
    assert same_program(read(ROWS[name]), read(ROWS[name]))
