"""Reads the dumps of what eight Flink versions built from about 290 programs, as our records.

A dump is text: a stream node a line with its ordered in- and out-edges, then the job vertices. Sections 1 to 5 of
the translation are thereby taken as given; hashing, chaining and the job graph are ours.
"""

import re
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

from checker.model.stream_graph import NodeKey, StreamEdge, StreamGraph, StreamNode
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, Transformation

FOLDER = Path(__file__).parent.parent / "data" / "api"
_NODE = re.compile(
    r"  N(?P<id>-?\d+) '(?P<name>.*)' uid=(?P<uid>.*?) uh=(?P<hash>\S+) p=(?P<p>-?\d+) mp=(?P<mp>-?\d+) pc=\S+ "
    r"ssg=(?P<group>.*?) col=(?P<col>.*?) bt=-?\d+ cs=(?P<strategy>\S+) fac=(?P<factory>\S+) inv=\S+ desc="
)
_OUT = re.compile(r"      ->N(-?\d+) tn=(\d+) part=(.*?)\(\w+\) ex=\w+ tag=(.*) uq=(\d+)$")
_VERTEX = re.compile(r"  V (\S+) '(.*)' p=(-?\d+) mp=(-?\d+) ssg#")
_OPERATOR = re.compile(r"      op (\S+) user=(\S+)")
_INPUT = re.compile(r"      in <- (\S+) (\S+) ship=(\S+) rt=\S+")
_YIELDING = {
    "AsyncWaitOperatorFactory", "ContinuousFileReaderOperatorFactory", "SinkOperatorFactory",
    "SinkWriterOperatorFactory",
}  # fmt: skip


@dataclass
class Vertex:
    id: str
    name: str
    parallelism: int
    max_parallelism: int
    operators: list[tuple[str, str | None]] = field(default_factory=list)
    inputs: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass
class Program:
    """One program of one version: its lines, cut into nodes and vertices."""

    file: str
    name: str
    nodes: list[re.Match[str]] = field(default_factory=list)
    outs: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    ins: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    sources: list[int] = field(default_factory=list)
    vertices: list[Vertex] = field(default_factory=list)
    error: str | None = None

    def stream_graph(self, *, chaining: bool, chain_different_max_parallelism: bool) -> StreamGraph:
        rank = {flink_id: place for place, flink_id in enumerate(sorted(int(n["id"]) for n in self.nodes))}
        edges = [
            StreamEdge(
                number=number, source=rank[source], target=rank[int(to)], type=int(kind),
                partitioner=PartitionerKind[partitioner], tag=None if tag == "null" else tag, ordinal=int(ordinal),
            )
            for number, (source, (to, kind, partitioner, tag, ordinal)) in enumerate(self.outs)
        ]  # fmt: skip
        nodes = [self._node(match, rank, edges) for match in sorted(self.nodes, key=lambda n: int(n["id"]))]
        return StreamGraph(
            nodes=tuple(nodes), edges=tuple(edges), sources=tuple(rank[s] for s in sorted(self.sources)),
            chaining=chaining, chain_different_max_parallelism=chain_different_max_parallelism,
        )  # fmt: skip

    def _node(self, match: re.Match[str], rank: dict[int, int], edges: list[StreamEdge]) -> StreamNode:
        number = rank[int(match["id"])]
        left = [e for e in edges if e.target == number]
        in_edges = []
        for source, kind in self.ins.get(int(match["id"]), []):
            edge = min((e for e in left if (e.source, e.type) == (rank[source], kind)), key=lambda e: e.ordinal)
            left.remove(edge)
            in_edges.append(edge.number)
        factory, _, operator = match["factory"].partition("/")
        kind = Kind.OPERATOR
        if factory == "SourceOperatorFactory":
            kind = Kind.SOURCE
        elif operator == "StreamSource":
            kind = Kind.LEGACY_SOURCE
        return StreamNode(
            number=number, key=NodeKey(match["id"]), declared=Transformation(id=match["id"], kind=Kind.OPERATOR),
            kind=kind, name=match["name"], uid=_text(match["uid"]), uid_hash=_text(match["hash"]),
            parallelism=int(match["p"]), max_parallelism=int(match["mp"]), slot_sharing_group=match["group"],
            chaining=ChainingStrategy[match["strategy"]],
            yielding=factory in _YIELDING, stateful=False,
            in_edges=tuple(in_edges), out_edges=tuple(e.number for e in edges if e.source == number),
        )  # fmt: skip


def _text(value: str) -> str | None:
    return None if value == "null" else value


def versions() -> list[str]:
    return sorted(p.name.removeprefix("dumps-").removesuffix(".tar.gz") for p in FOLDER.glob("dumps-*.tar.gz"))


def programs(version: str) -> list[Program]:
    """All programs of one version's dump, also those that Flink refused."""
    found: list[Program] = []
    with tarfile.open(FOLDER / f"dumps-{version}.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda m: m.name):
            content = archive.extractfile(member)
            if content is not None:
                found.extend(_programs(Path(member.name).stem, content.read().decode()))
    return found


def _programs(file: str, text: str) -> list[Program]:
    found: list[Program] = []
    node = 0
    for line in text.split("\n"):
        if line.startswith("### "):
            found.append(Program(file, line[4:]))
        elif line.startswith("  ERR"):
            found[-1].error = line.strip()
        elif match := _NODE.match(line):
            node = int(match["id"])
            found[-1].nodes.append(match)
        elif match := _OUT.match(line):
            found[-1].outs.append((node, match.groups()))
        elif line.startswith("      in-edges:"):
            pairs = [pair[1:].split("/") for pair in line.split(":")[1].split()]
            found[-1].ins[node] = [(int(source), int(kind)) for source, kind in pairs]
        elif match := re.match(r"  sources=\[(.*)\] sinks", line):
            found[-1].sources = [int(s) for s in match[1].split(", ") if s]
        elif match := _VERTEX.match(line):
            found[-1].vertices.append(Vertex(match[1], match[2], int(match[3]), int(match[4])))
        elif match := _OPERATOR.match(line):
            found[-1].vertices[-1].operators.append((match[1], None if match[2] == "-" else match[2]))
        elif match := _INPUT.match(line):
            found[-1].vertices[-1].inputs.append((match[1], match[2], match[3]))
    return found
