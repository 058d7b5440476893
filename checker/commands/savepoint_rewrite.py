"""``savepoint rewrite``: a savepoint whose state belongs to other operators, without a cluster and without a JVM."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from checker.commands import options
from checker.commands.gate import MapPath
from checker.commands.savepoint import PathArgument
from checker.engines.progress import waiting
from checker.errors import UsageError
from checker.report.gate.view import rewriting_lines
from checker.savepoint.places import PathMapping
from checker.workflows.gate.moves import Asked, plan_rewriting
from checker.workflows.gate.rewriting import read_for_rewriting
from checker.workflows.gate.rewriting import rewrite as rewrite_savepoint

Out = Annotated[
    str | None, typer.Option("--out", metavar="FOLDER", help="Where the rewritten savepoint goes; must not exist yet.")
]
Moves = Annotated[
    list[str] | None,
    typer.Option(
        "--move",
        metavar="OLD=NEW",
        help="Give the state of operator OLD to operator NEW, each an operator id or a uid (repeatable). Where NEW has "
        "state of its own, that needs a --move or --drop too.",
    ),
]
Drops = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="OPERATOR", help="Leave this operator's state out, by id or uid (repeatable)."),
]
Maximum = Annotated[
    list[str] | None,
    typer.Option(
        "--max-parallelism",
        metavar="OPERATOR=N",
        help="Another max parallelism for an operator without keyed state (repeatable).",
    ),
]
Copy = Annotated[
    bool, typer.Option("--copy", help="Copy the state files too; else the result names those of the original.")
]


@dataclass(frozen=True, kw_only=True)
class RewriteOptions:
    """What ``savepoint rewrite`` is asked."""

    path: PathArgument
    out: Out = None
    move: Moves = None
    drop: Drops = None
    max_parallelism: Maximum = None
    copy: Copy = False
    map_path: MapPath = None


@options.options_of(RewriteOptions)
def rewrite(asked: RewriteOptions) -> None:
    """Make a savepoint whose state belongs to other operators, for where the code can't keep its ids.

    The original stays as it is. The result is a new _metadata, which names the old state files by absolute paths (keep
    the original as long as it is used), or with --copy a folder of its own. What was done stands beside it in
    rewritten.json. States, types and serializers are never changed.

    \b
    savepoint-checker savepoint ./savepoint-ab12                      which operators it has
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./renamed --move orders=sales
    savepoint-checker savepoint rewrite ./savepoint-ab12 --out ./traded --move a=b --move b=a
    savepoint-checker gate --savepoint ./renamed --head v2.0          whether Flink would start from it
    """
    mappings = tuple(PathMapping.parse(m) for m in asked.map_path or ())
    if asked.out is None:
        raise UsageError("savepoint rewrite: say where the result goes, with --out FOLDER")
    with waiting("rewriting the savepoint"):
        savepoint = read_for_rewriting(asked.path, mappings)
        wanted = Asked(moves=asked.move or (), drops=asked.drop or (), max_parallelism=asked.max_parallelism or ())
        rewriting = plan_rewriting(savepoint, wanted)
        if not rewriting:
            raise UsageError("savepoint rewrite: nothing to do: give --move, --drop or --max-parallelism")
        document = rewrite_savepoint(savepoint, asked.path, asked.out, rewriting, mappings, copy=asked.copy)
    print("\n".join(rewriting_lines(document)))
    for reason in savepoint.files.unreachable if savepoint.files else ():
        print(f"not looked for: {reason}", file=sys.stderr)
    print(f"wrote {asked.out}", file=sys.stderr)
