"""``gate``: a candidate held against the savepoints it will start from."""

from __future__ import annotations

import shlex
import sys
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.engines.choice import missing_for_spark
from checker.errors import SavepointError, UsageError
from checker.extract.runtime.extracting import Execution
from checker.flink.versions import semantics_of
from checker.model.findings import RestorePath, Severity
from checker.model.restore import CandidateJob
from checker.report.formats import Report, format_of, renderer
from checker.savepoint.masking import masked
from checker.savepoint.places import PathMapping, scheme_of
from checker.workflows.gate.candidates import Candidates, revision_candidates
from checker.workflows.gate.job_graph_file import read_job_graphs
from checker.workflows.gate.judging import Engine, GateOptions, NamedSavepoint, run_gate

MANY = 8
"""From so many savepoints on, starting Spark pays off."""

Savepoints = Annotated[
    list[str] | None,
    typer.Option(
        "--savepoint",
        metavar="[PIPELINE=]PATH",
        help="A savepoint's folder or its _metadata file, local or any fsspec URL (repeatable).",
    ),
]
JobGraph = Annotated[
    Path | None, typer.Option("--job-graph", metavar="FILE", help="The candidate's vertices as ids prints them.")
]
Way = Annotated[str, typer.Option("--path", metavar="PATH", help="The way that decides: savepoint or last-state.")]
Allow = Annotated[
    bool, typer.Option("--allow-non-restored-state", "-n", help="Judge the start with --allowNonRestoredState.")
]
MapPath = Annotated[
    list[str] | None,
    typer.Option("--map-path", metavar="FROM=TO", help="Where state files below FROM lie from here (repeatable)."),
]
Backend = Annotated[
    str | None, typer.Option("--state-backend", metavar="NAME", help="The candidate's: hashmap, rocksdb or forst.")
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="spark or in-process. [default: spark from 8 savepoints on]",
        show_default=False,
    ),
]
SparkMaster = Annotated[str, typer.Option("--spark-master", metavar="URL", help="Spark master, e.g. local[*].")]
SparkRemote = Annotated[
    str | None, typer.Option("--spark-remote", metavar="URL", help="A Spark Connect server, e.g. sc://host:15002.")
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", metavar="SEVERITY", help="error: what Flink refuses; warning, info: silent effects too; never."
    ),
]


def gate(
    savepoint: Savepoints = None,
    job_graph: JobGraph = None,
    repo: options.Repo = Path("."),
    head: Annotated[str | None, typer.Option("--head", metavar="REV", help="The candidate revision.")] = None,
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    allow_exec: options.AllowExec = False,
    flink_home: options.FlinkHome = None,
    exec_timeout: options.ExecTimeout = 120.0,
    state_backend: Backend = None,
    path: Way = "savepoint",
    allow_non_restored_state: Allow = False,
    map_path: MapPath = None,
    engine: EngineName = None,
    spark_master: SparkMaster = "local[*]",
    spark_remote: SparkRemote = None,
    output_format: options.Format = None,
    output: options.Output = None,
    fail_on: FailOn = "error",
    verbose: options.Verbose = False,
) -> None:
    """Give Flink's verdict before Flink gives it: does this candidate start from this savepoint?

    savepoint-checker gate --savepoint s3://bucket/savepoint-ab12 --head v2.0 --output release.html
    savepoint-checker gate --savepoint ./savepoint-ab12 --job-graph graph.json --format json
    """
    if not savepoint:
        raise UsageError("gate needs --savepoint PATH: a savepoint's folder, its _metadata file, or their URL")
    if job_graph is not None and head is not None:
        raise UsageError("give either --job-graph or --head, not both")
    if path not in tuple(RestorePath):
        raise UsageError(f"--path {path}: must be savepoint or last-state")
    if fail_on not in (*Severity, "never"):
        raise UsageError(f"--fail-on {fail_on}: must be error, warning, info or never")
    if flink is not None:
        semantics_of(flink)  # reject an unknown version; do not skip the check
    show = renderer(Report.GATE, output_format or "text", sys.stdout)
    files = [(file, renderer(Report.GATE, format_of(Report.GATE, file))) for file in output or []]
    if job_graph is not None:
        text = read_text(job_graph)
        candidates = list(read_job_graphs(text, job_graph.stem, flink=flink, state_backend=state_backend))
        wanted = [c for c in candidates if not pipeline or any(fnmatchcase(c.name, p) for p in pipeline)]
        origin: dict[str, object] = {"job_graph": str(job_graph), "revision": None, "commit": None, "reading": None}
    else:
        asked = Candidates(
            head=head or "HEAD", pipelines=tuple(pipeline or ()), flink=flink, parallelism=parallelism,
            values=options.values_of(arg), state_backend=state_backend,
            execution=Execution(
 allow_exec=allow_exec, flink_home=flink_home, seconds=exec_timeout, progress=options.say
),
        )  # fmt: skip
        wanted, origin = revision_candidates(repo, asked)
    if not wanted:
        raise UsageError(f"no pipeline called {', '.join(pipeline or ['?'])} in the candidate")
    document = run_gate(
        [_named(text, wanted) for text in savepoint],
        wanted,
        GateOptions(
            path=RestorePath(path),
            allow_non_restored_state=allow_non_restored_state,
            mappings=tuple(PathMapping.parse(m) for m in map_path or ()),
            fail_on=None if fail_on == "never" else Severity(fail_on),
        ),
        candidate={**origin, "pipelines": [c.name for c in wanted], "flink": flink, "state_backend": state_backend},
        command=masked(shlex.join(["savepoint-checker", *sys.argv[1:]])),
        engine=_engine(engine, len(savepoint), spark_master, spark_remote, verbose),
    )
    for file, render in files:
        options.write(file, render(document))
    sys.stdout.write(show(document))
    unread = [s for s in document["savepoints"] if s["error"]]
    if unread:
        sys.stdout.flush()
        raise SavepointError("; ".join(s["error"] for s in unread))
    if not document["passes"]:
        raise typer.Exit(1)


def _engine(name: str | None, savepoints: int, master: str, remote: str | None, verbose: bool) -> Engine | None:
    """Spark for many savepoints, or when asked for; None = this process. Raises UsageError."""
    if name not in (None, "spark", "in-process"):
        raise UsageError(f"--engine {name}: must be spark or in-process")
    if name == "in-process" or (name is None and savepoints < MANY):
        return None
    missing = missing_for_spark(remote)
    if missing is not None:
        print(f"{missing}: running in process instead (--engine in-process silences this)", file=sys.stderr)
        return None
    from checker.engines.spark.gate import judge_savepoints

    return partial(judge_savepoints, master=master, remote=remote, verbose=verbose)


def _named(text: str, candidates: list[CandidateJob]) -> NamedSavepoint:
    """``PIPELINE=PATH`` where what stands before the sign names a pipeline, else all of it is a path."""
    name, separator, path = text.partition("=")
    if separator and path and any(c.name == name for c in candidates):
        return NamedSavepoint(path=path, pipeline=name)
    return NamedSavepoint(path=text if scheme_of(text) else str(Path(text)))


def read_text(path: Path) -> str:
    """A text file that an option names. Raises UsageError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: can't be read: {error}") from None
