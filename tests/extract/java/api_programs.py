"""Cuts the small API programs into single pipelines, and reads what Flink made of each from its dump.

``S*.java`` files call ``L.run(name, [configuration,] lambda)`` once a pipeline; a line that ends in ``//@GE119@``
exists from 1.19, ``//@LE1@`` in 1.x only; ``@LEG@`` and ``@SEC@`` stand for version-dependent spellings.
"""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.errors import CheckerError
from checker.extract import java
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tree import children, field, text, walk
from checker.flink.translate import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from tests.extract.java.recorded import Comparison, Outcome, compare

VERSIONS = ("1.16", "1.18", "1.20", "2.0", "2.3")
_MARKER = re.compile(r"//\s*@(GE|LE)(\d+)@")


@dataclass(frozen=True)
class Program:
    """One pipeline, cut out: a class with a main method."""

    file: str
    name: str
    source: str
    others: tuple[tuple[str, str], ...] = ()
    """The other files, which it may use classes of."""


def spelled(source: str, version: tuple[int, int]) -> str:
    """The file as one Flink version can read it: lines of other versions left out, spellings put in."""
    lines = []
    for line in source.splitlines():
        wanted = True
        for relation, digits in _MARKER.findall(line):
            bound = (int(digits[0]), int(digits[1:] or 0))
            wanted = wanted and (version >= bound if relation == "GE" else version < (bound[0] + 1, 0))
        if wanted:
            lines.append(_MARKER.sub("", line))
    joined = "\n".join(lines)
    seconds = (
        "java.time.Duration.ofSeconds(5)"
        if version >= (2, 0)
        else "org.apache.flink.streaming.api.windowing.time.Time.seconds(5)"
    )
    return joined.replace("@LEG@", "legacy." if version >= (2, 0) else "").replace("@SEC@", seconds)


def programs(path: Path, version: tuple[int, int]) -> Iterator[Program]:
    """All pipelines of one file."""
    source = spelled(path.read_text(encoding="utf-8"), version)
    others = tuple(
        (script.name, spelled(script.read_text(encoding="utf-8"), version))
        for script in sorted(path.parent.glob("S*.java"))
        if script != path and f"{script.stem}." in source
    )
    unit = SourceUnit(path.name, source.encode)
    main = next(
        (n for n in walk(unit.root) if n.type == "method_declaration" and text(field(n, "name")) == "main"), None
    )
    if main is None:
        return
    for node in walk(main):
        if node.type != "method_invocation" or text(field(node, "object")) != "L" or text(field(node, "name")) != "run":
            continue
        arguments = field(node, "arguments")
        given = children(arguments) if arguments is not None else []
        if not given or given[0].type != "string_literal":
            continue
        configuration = text(given[1]) if len(given) == 3 else "new org.apache.flink.configuration.Configuration()"
        body = _body(given[-1])
        if body is None:
            continue
        statements, parameter = body
        start = (
            f"    StreamExecutionEnvironment {parameter} ="
            f" StreamExecutionEnvironment.getExecutionEnvironment({configuration}); {parameter}.setParallelism(2);\n"
        )
        block = field(main, "body")
        assert block is not None
        cut = source.encode()
        new_body = f"{{\n{start}    {statements}\n    {parameter}.execute();\n  }}".encode()
        yield Program(
            path.name,
            text(given[0])[1:-1],
            (cut[: block.start_byte] + new_body + cut[block.end_byte :]).decode(),
            others,
        )


def _body(node: Any) -> tuple[str, str] | None:
    if node.type != "lambda_expression":
        return None
    parameter = text(field(node, "parameters")).strip("()").split()[-1]
    body = field(node, "body")
    if body is None:
        return None
    return (text(body)[1:-1] if body.type == "block" else f"{text(body)};"), parameter


_NODE = re.compile(
    r"  N(-?\d+) '(.*?)' uid=(.*?) uh=(.*?) p=(-?\d+) mp=(\S+) .*?ssg=(.*?) col=.*? cs=(\S+) ", re.DOTALL
)
_EDGE = re.compile(r"      ->N(-?\d+) tn=(\d+) part=(\S+?)\(.*? tag=(.*) uq=")
_VERTEX = re.compile(r"  V (\w+) '(.*)' p=", re.DOTALL)


def recorded(dump: str) -> dict[str, dict[str, Any] | str]:
    """Pipeline name → graph, or the error that Flink raised, from one dump file."""
    found: dict[str, dict[str, Any] | str] = {}
    for block in re.split(r"^### ", dump, flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        error = re.search(r"^  ERR (.*)", rest, flags=re.MULTILINE)
        found[name] = error.group(1) if error else _graph(rest)
    return found


def _graph(dump: str) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    edges: list[tuple[int, int, int, str, str | None]] = []
    vertices: list[list[Any]] = []
    for line in dump.splitlines():
        if match := _NODE.match(line):
            uid, uid_hash = (None if match[i] == "null" else match[i] for i in (3, 4))
            nodes.append(
                {
                    "id": int(match[1]),
                    "name": match[2],
                    "uid": uid,
                    "uid_hash": uid_hash,
                    "parallelism": int(match[5]),
                    "max_parallelism": int(match[6]),
                    "slot_sharing_group": match[7],
                    "chaining": None if match[8] == "-" else match[8],
                }
            )
        elif match := _EDGE.match(line):
            tag = None if match[4] == "null" else match[4]
            edges.append((nodes[-1]["id"], int(match[1]), int(match[2]), match[3], tag))
        elif match := _VERTEX.match(line):
            vertices.append([match[1], match[2], []])
        elif line.startswith("      op "):
            vertices[-1][2].append(line.split()[1])
    order = sorted((node["id"] for node in nodes), key=lambda number: (number < 0, abs(number)))
    rank = {number: place for place, number in enumerate(order)}
    nodes.sort(key=lambda node: rank[node.pop("id")])
    return {
        "nodes": nodes,
        "edges": [[rank[a], rank[b], kind, partitioner, tag] for a, b, kind, partitioner, tag in edges],
        "vertices": vertices,
    }


def _same_refusal(ours: str, flinks: str) -> bool:
    """Whether the reason why a program executes no job is what Flink said."""
    reason = ours.partition("executes no job (")[2].removesuffix(")")
    if "declares no operators" in reason:
        return "No operators defined" in flinks
    if "must not be null" in reason:
        return "NullPointerException" in flinks
    return bool(reason) and reason.partition(": ")[2] in flinks and ": " in reason


def evaluate(program: Program, expected: dict[str, Any] | str, version: str) -> Comparison:
    """Read one program from source and compare with its recording."""
    class_name = program.file.removesuffix(".java")
    entry = PipelineEntry(
        name=program.name, extract=ExtractorKind.JAVA, main=class_name, file=program.file, flink=version
    )
    sources = {**dict(program.others), program.file: program.source}
    files = MemoryFiles({name: source.encode() for name, source in sources.items()})
    try:
        translation = translate(java.extract(files, entry), version)
    except CheckerError as error:
        if isinstance(expected, str) and _same_refusal(str(error), expected):
            return Comparison(Outcome.EXACT)
        return Comparison(Outcome.UNDECIDED, f"not read: {error}")
    except Exception as error:  # a defect: shown as what it is, the other programs go on
        return Comparison(Outcome.SILENT, f"DEFECT {type(error).__name__}: {error}")
    if isinstance(expected, str):
        if translation.refusal is not None:
            return Comparison(Outcome.EXACT)
        undecided = not translation.certain
        return Comparison(Outcome.UNDECIDED if undecided else Outcome.SILENT, f"Flink refuses: {expected[:200]}")
    return compare(translation, expected)


Dumps = dict[str, dict[str, dict[str, Any] | str]]


def dumps_of(folder: Path, version: str) -> Dumps:
    """File → pipeline → graph or error, of one minor version."""
    found: Dumps = {}
    with tarfile.open(next(folder.glob(f"dumps-{version}.*.tar.gz"))) as tar:
        for member in tar:
            handle = tar.extractfile(member) if member.name.endswith(".txt") else None
            if handle is not None:
                found[Path(member.name).stem] = recorded(handle.read().decode("utf-8", "replace"))
    return found
