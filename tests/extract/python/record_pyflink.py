"""Records what real PyFlink builds: ``PYTHON_WITH_PYFLINK record_pyflink.py OUT.jsonl``.

Runs every script of ``tests/data/python`` in one process and writes one line a script: its jobs with nodes, edges and
vertices. Needs nothing but PyFlink and a JDK.
"""

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from pyflink_recorder import Records, install

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "python"
PARALLELISM = 4
"""What the deployment passes."""
_NODE = ("name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "chaining")
_EDGE = ("to", "type", "partitioner", "tag", "chainable")


def programs() -> dict[str, Path]:
    """Name of a script → its file: single ones, and ``main.py`` of folders."""
    single = [*(DATA / "scripts").glob("*.py"), *(DATA / "programs").glob("*.py")]
    folders = {path.parent.name: path for path in (DATA / "programs").glob("*/main.py")}
    return dict(sorted({**{path.stem: path for path in single}, **folders}.items()))


def job(graph: Any) -> Any:
    number = {node["id"]: place for place, node in enumerate(graph["nodes"])}
    nodes = []
    for node in graph["nodes"]:
        edges = [{**{key: edge[key] for key in _EDGE}, "to": number[edge["to"]]} for edge in node["out"]]
        nodes.append({**{key: node[key] for key in _NODE}, "out": edges})
    vertices = [
        {
            "id": vertex["id"], "name": vertex["name"], "parallelism": vertex["parallelism"],
            "max_parallelism": vertex["max_parallelism"],
            "operators": vertex["operators"],
        }
        for vertex in graph.get("vertices", ())
    ]  # fmt: skip
    return {"name": graph["job_name"], "nodes": nodes, "vertices": vertices, "refused": graph.get("refused")}


def main(target: str) -> None:
    """Record all scripts."""
    records = Records()
    install(records, PARALLELISM)
    arguments = json.loads((DATA / "programs" / "arguments.json").read_text(encoding="utf-8"))
    before = set(sys.modules)
    with open(target, "w", encoding="utf-8") as out:
        for name, path in programs().items():
            records.clear()
            sys.argv = [str(path), *arguments.get(name, ())]
            sys.path.insert(0, str(path.parent))
            end = None
            try:
                runpy.run_path(str(path), run_name="__main__")
            except BaseException as error:
                end = f"{type(error).__name__}: {str(error)[:200]}"
            sys.path.pop(0)
            for module in set(sys.modules) - before:
                if str(DATA) in str(getattr(sys.modules[module], "__file__", "")):
                    del sys.modules[module]
            jobs = [job(record) for record in records]
            out.write(json.dumps({"script": name, "end": end, "jobs": jobs}) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
