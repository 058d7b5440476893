"""Flink's planner in one process for many requests, each as ``checker.extract.sql.planner.child`` takes it.

Run as ``python -m tests.planner.serving FOLDER``: takes ``REQUEST RESULT`` a line, and says so a line when it is done.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jpype

from checker.extract.sql.planner import child
from checker.extract.sql.planner.cluster import Cluster

DONE = "planned: "


def serve(folder: str) -> None:
    start, cluster = child.came_up, Cluster(folder)

    def came_up(request: Any, recorder: Any, class_path: Any, prepare: Callable[[], object], *options: str) -> bool:
        if jpype.isJVMStarted():
            prepare()
            return True
        return start({**request, "folder": folder}, recorder, class_path, prepare, *options)

    child.came_up = came_up
    child.Cluster = lambda _: cluster  # type: ignore[assignment,misc]
    for line in sys.stdin:
        request, result = line.split()
        child.main(json.loads(Path(request).read_text("utf-8")), result)
        print(f"\n{DONE}{request}", flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
    os._exit(0)
