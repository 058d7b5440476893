"""Records what a real Flink makes of Java programs: compiles them against its jars and runs each up to execute().

    python -m tests.extract.java.golden.capture.record VERSION LIB SOURCES OUT.json [--arguments FILE]

LIB is the ``lib`` folder of that Flink's distribution, SOURCES a folder of Java files. Files with a first line
``// flink: 1.`` are only compiled for versions that start so. Needs a JDK (11 or newer).
"""

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.flinks import compiled, java

MAIN = re.compile(r"^(?:public |final |abstract )*class (\w+)(?:(?!^}).)*?public static void main\(", re.M | re.S)


def for_version(source: str, version: str) -> bool:
    """Whether a file is meant for a Flink version."""
    first = source.split("\n", 1)[0]
    return not first.startswith("// flink: ") or version.startswith(first.removeprefix("// flink: ").strip())


def arguments_of(source: str) -> dict[str, list[str]]:
    """Class → program arguments, from comments ``// arguments Class: --a b``."""
    return {name: given.split() for name, given in re.findall(r"^// arguments (\w+): (.*)$", source, re.M)}


def programs(folder: Path, version: str) -> dict[str, tuple[str, list[str]]]:
    """Qualified main class → (file name, arguments)."""
    found: dict[str, tuple[str, list[str]]] = {}
    for path in sorted(folder.glob("*.java")):
        source = path.read_text(encoding="utf-8")
        if not for_version(source, version):
            continue
        package = re.search(r"^package ([\w.]+);", source, re.M)
        given = arguments_of(source)
        for name in MAIN.findall(source):
            found[f"{package[1]}.{name}" if package else name] = (path.name, given.get(name, []))
    return found


def record(version: str, lib: Path, folder: Path) -> dict[str, Any]:
    """Graphs by main class, with the ids at default parallelism 1 beside those at 4."""
    wanted = programs(folder, version)
    with tempfile.TemporaryDirectory() as scratch:
        sources = [
            path
            for path in folder.rglob("*.java")
            if path.parent.name != "capture" and for_version(path.read_text(encoding="utf-8"), version)
        ]
        compiled(Path(scratch), lib, Path(__file__).with_name("Capture.java"), *sources)
        lines = "\n".join("\t".join([name, *given]) for name, (_, given) in wanted.items())
        runs: dict[int, dict[str, Any]] = {}
        for parallelism in (4, 1):
            out = subprocess.run(
                [*java(scratch, f"{lib}/*"), "Capture", str(parallelism)],
                input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
            ).stdout.decode()  # fmt: skip
            runs[parallelism] = {graph.pop("main"): graph for graph in map(json.loads, out.splitlines())}
    for name, graph in runs[4].items():
        graph["file"], graph["args"] = wanted[name]
        if "nodes" in graph:
            graph["ids_at_parallelism_1"] = [node["operator_id"] for node in runs[1][name]["nodes"]]
    return runs[4]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("lib", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    graphs = record(options.version, options.lib, options.sources)
    lines = [f"{json.dumps(name)}: {json.dumps(graph)}" for name, graph in sorted(graphs.items())]
    options.out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    failed = {name: graph["error"] for name, graph in graphs.items() if "error" in graph}
    print(f"{len(graphs)} programs, {len(failed)} of them refused: {failed}")


if __name__ == "__main__":
    main()
