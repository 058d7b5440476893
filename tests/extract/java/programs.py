"""Small programs for tests of the interpreter: a main method's body, and what else the revision holds."""

from collections.abc import Mapping

from checker.extract import java
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology, Transformation

HEAD = """package acme;
import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.java.utils.*;
import org.apache.flink.configuration.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.source.*;
import org.apache.flink.streaming.api.functions.sink.*;
import org.apache.flink.util.*;
"""


def files(
    body: str,
    members: str = "",
    others: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> MemoryFiles:
    """A revision with ``acme.Job`` whose main makes ``env``, runs ``body`` and executes, other classes and files."""
    source = (
        f"{HEAD}public class Job {{\n{members}\n  public static void main(String[] args) throws Exception {{\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"    {body}\n    env.execute();\n  }}\n}}\n"
    )
    contents = {"src/main/java/acme/Job.java": source.encode()}
    for name, text in (others or {}).items():
        contents[f"src/main/java/acme/{name}.java"] = (HEAD + text).encode()
    contents |= {path: text.encode() for path, text in (more or {}).items()}
    return MemoryFiles(contents)


def read(
    body: str,
    members: str = "",
    others: Mapping[str, str] | None = None,
    *,
    args: tuple[str, ...] | None = (),
    values: tuple[tuple[str, str], ...] = (),
    parallelism: int | None = 4,
    flink: str | None = "1.20",
) -> Topology:
    """The topology of such a program; ``args=None`` means that nobody knows its arguments."""
    entry = PipelineEntry(
        name="Job",
        extract=ExtractorKind.JAVA,
        main="acme.Job",
        args=args or (),
        values=values,
        parallelism=parallelism,
        flink=flink,
        discovered=args is None,
    )
    return java.extract(files(body, members, others), entry)


def uids(topology: Topology) -> list[object]:
    """The uids in order, of those transformations that have one."""
    return [t.uid for t in topology.transformations if t.uid is not None]


def physical(topology: Topology) -> list[Transformation]:
    """All but virtual transformations."""
    return [t for t in topology.transformations if not t.kind.virtual]
