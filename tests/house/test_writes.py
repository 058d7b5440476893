"""Files of a work tree are written through one door; whatever else is written lies where no repository brings links."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "checker"
DOOR = "files_below.py"
ELSEWHERE = {
    "cache.py": "the cache's folder, closed to others, whose links are refused",
    "cli.py": "the null device",
    "engines/spark/session.py": "a temporary file without a name",
    "extract/runtime/extracting.py": "temporary folders, and the cache",
    "extract/runtime/capture/capturing.py": "temporary folders",
    "extract/runtime/capture/child.py": "a file that the parent process named",
    "extract/runtime/distribution.py": "the cache",
    "extract/sql/planner/functions.py": "temporary folders",
    "extract/sql/planner/cluster.py": "temporary folders",
    "processes/confinement.py": "nothing: it opens a place without reading or writing it",
    "savepoint/remote_files.py": "the store that --out of a command names",
    "workflows/audit/auditing.py": "staging below --data, which is searched for links first",
    "workflows/audit/datasets.py": "--data, which is searched for links first",
    "workflows/audit/stretches.py": "temporary folders",
    "workflows/gate/rewriting.py": "a new folder beside --out, with a name that nobody knows before",
}
"""Files that write elsewhere, and where: each was read for what a repository can do about it."""
WRITING = {
    "write_text", "write_bytes", "mkdir", "makedirs", "touch", "rename", "symlink", "symlink_to", "hardlink_to",
    "copyfile", "copyfileobj", "copytree", "copymode", "copy2", "mkstemp", "NamedTemporaryFile", "TemporaryFile",
    "extractall", "mknod", "mkfifo", "fdopen", "FileIO", "truncate",
}  # fmt: skip
OF_SYSTEM = {"open", "replace", "link", "copy", "move", "rename", "write"}
"""Of modules ``os`` and ``shutil``; elsewhere these names mean other things."""


def writes(path: Path) -> Iterator[str]:
    """What of a file can write to another one, and its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        owner = called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else ""
        if name in WRITING or (owner in ("os", "shutil") and name in OF_SYSTEM) or (name == "open" and _changes(node)):
            yield f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno} calls {name}"


def _changes(call: ast.Call) -> bool:
    """Whether a call of ``open`` has a mode with which a file is written, or one that is computed."""
    modes = [*call.args[isinstance(call.func, ast.Name) :][:1], *(k.value for k in call.keywords if k.arg == "mode")]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
    return any(
        isinstance(text, str) and set(text) <= set("rwxabt+") and set(text) & set("wxa+") for text in texts
    ) or any(not isinstance(mode, ast.Constant) for mode in modes if isinstance(call.func, ast.Name))


@cache
def all_writes() -> dict[str, list[str]]:
    """What each file of the package can write, where it can."""
    found = {path.relative_to(PACKAGE).as_posix(): list(writes(path)) for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: calls for name, calls in found.items() if calls}


def test_only_the_door_writes_where_a_repository_may_lie() -> None:
    assert [line for name, found in all_writes().items() if name not in {DOOR, *ELSEWHERE} for line in found] == []


@pytest.mark.parametrize("name", [DOOR, *ELSEWHERE])
def test_what_is_excepted_writes(name: str) -> None:
    assert all_writes().get(name), "is no exception any more"
