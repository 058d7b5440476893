"""``savepoint``: what a savepoint holds; ``savepoint rewrite``: its state under other operators, without a cluster."""

from dataclasses import dataclass
from pathlib import Path

from checker.commands import options
from checker.engines.progress import waiting
from checker.report.formats import Report
from checker.report.gate.document import savepoint_document
from checker.report.presentable import complain, visible
from checker.savepoint.places import PathMapping
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate.rewriting import planned_moves, read_for_rewriting
from checker.workflows.gate.rewriting import rewrite as write_rewriting


@dataclass(frozen=True, kw_only=True)
class SavepointOptions(options.WhereItIsTold):
    """What ``savepoint`` is asked."""

    path: str
    map_path: list[str] | None = None


def savepoint(asked: SavepointOptions) -> None:
    """Show what a savepoint or retained checkpoint holds, without a JVM.

    \b
    savepoint-checker savepoint ./savepoint-ab12
    savepoint-checker savepoint s3://bucket/savepoint-ab12 --format json
    """
    tell = asked.teller(Report.SAVEPOINT)
    with waiting("reading the savepoint"):
        mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
        document = savepoint_document(read_savepoint(asked.path, mappings=mappings))
    tell(document)


@dataclass(frozen=True, kw_only=True)
class RewriteOptions:
    """What ``savepoint rewrite`` is asked."""

    path: str
    out: Path
    move: list[str]
    map_path: list[str] | None = None


def rewrite(asked: RewriteOptions) -> None:
    """Make a savepoint whose state belongs to other operators, for where the code can't take its ids back.

    The original stays as it is. The result is a folder with a new _metadata that names the old state files by absolute
    paths: keep the original as long as it is used. States, types and serializers are never changed, two operators
    never become one. gate and repair print the moves that they find.

    \b
    savepoint-checker savepoint ./savepoint-ab12                      which operators it has
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./renamed --move orders=sales
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./traded --move a=b --move b=a
    savepoint-checker gate --savepoint ./renamed --head v2.0          what comes of it

    Start Flink from the result without claiming it: a claimed savepoint's files are deleted one day, and these are the
    original's.
    """
    mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
    with waiting("rewriting the savepoint"):
        savepoint = read_for_rewriting(asked.path, mappings)
        moves = planned_moves(savepoint, asked.move)
        write_rewriting(savepoint, asked.path, asked.out, moves, mappings)
    titles = {o.operator_id: o.name or o.uid for o in savepoint.operators}
    for move in moves.values():
        print(visible(f"{_called(titles[move.old], move.old)} → {_called(move.uid, move.new)}"))
    for reason in savepoint.files.unreachable if savepoint.files else ():
        complain(f"not looked for: {reason}")
    complain(f"wrote {asked.out}")


def _called(name: str | None, operator_id: str) -> str:
    return f"{name} ({operator_id})" if name else operator_id
