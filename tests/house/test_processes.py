"""Child processes are started through one door: nothing else of the package can start one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "checker"
DOOR = {"processes/starting.py", "processes/supervisor.py"}
STARTING = ("exec", "spawn", "posix_spawn", "fork", "popen", "system", "startfile")
"""How the names begin of what starts a process in ``os`` and ``pty``."""
MODULES = {"subprocess", "pty", "git", "webbrowser", "_posixsubprocess", "sh", "plumbum", "pexpect"}
NAMES = {"ProcessPoolExecutor", "create_subprocess_exec", "create_subprocess_shell", "Popen", "getstatusoutput"}
NO_PROCESS = {"connection", "AuthenticationError"}
"""What of ``multiprocessing`` starts nothing."""
LIBRARIES = {
    "launch_gateway": {"engines/spark/session.py"},
    "startJVM": {"extract/runtime/capture/jvm.py"},
    "set_start_method": set(),
}
"""What starts a process, or a JVM in this one, through a library → where it may be called."""


def starts(path: Path) -> Iterator[str]:
    """What of a file can start a process, and its line."""
    own = path.relative_to(PACKAGE).as_posix()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        line = f"{own}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.partition(".")[0]
                if top in MODULES or name.name == "multiprocessing":
                    yield f"{line} imports {name.name}"
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {name.name for name in node.names}
            top, _, rest = node.module.partition(".")
            if top in MODULES or names & NAMES or (top == "os" and any(n.startswith(STARTING) for n in names)):
                yield f"{line} imports from {node.module}"
            if top == "multiprocessing" and rest not in NO_PROCESS and names - NO_PROCESS:
                yield f"{line} imports from {node.module}"
            if names & LIBRARIES.keys() and not all(own in LIBRARIES[name] for name in names & LIBRARIES.keys()):
                yield f"{line} imports {names & LIBRARIES.keys()}"
        elif isinstance(node, ast.Attribute):
            of_os = isinstance(node.value, ast.Name) and node.value.id in ("os", "pty")
            if (of_os and node.attr.startswith(STARTING)) or node.attr in NAMES:
                yield f"{line} calls {node.attr}"
            if node.attr in LIBRARIES and own not in LIBRARIES[node.attr]:
                yield f"{line} calls {node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
            yield f"{line} imports by a name that is computed"


def test_only_the_door_starts_processes() -> None:
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).as_posix() not in DOOR]
    assert [found for path in files for found in starts(path)] == []


@pytest.mark.parametrize("name", sorted(DOOR))
def test_the_search_finds_what_starts_processes(name: str) -> None:
    assert list(starts(PACKAGE / name))
