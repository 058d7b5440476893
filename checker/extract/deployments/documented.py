"""``flink run`` in what people read: ``README`` files and folders of documentation.

Such a command says how a program is started where nothing else in the repository does. It may be an example, so what is
taken from it is an assumption, and a command without arguments says nothing about arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from checker.extract.deployments import commands
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.unknowns import Location

_DOCUMENT = re.compile(
    r"(?:.*/)?(?:(?:readme|run|usage|install|setup|deploy|quick-?start|getting[-_]?started)[^/]*|docs?/.*)"
    r"\.(?:md|markdown|adoc|asciidoc|rst|txt)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"[<«\[{]|\.\.\.|…|path/to/|\b(?:your|my|xxx|example|placeholder)", re.IGNORECASE)
"""What stands for something that whoever starts the program fills in."""
_PROGRAMS = (".jar", ".py")


def documents_among(paths: Iterable[str]) -> list[str]:
    """The paths of documents that may say how a program is started."""
    return [path for path in paths if _DOCUMENT.fullmatch(path)]


def deployments_of(text: str, path: str) -> Iterator[Deployment]:
    """Every ``flink run`` of a document that names a program, in blocks and spans of code alike."""
    lines = text.replace("`", "\n")
    for found in commands.deployments_of(lines, path, ""):
        if found.kind is not DeploymentKind.COMMAND or not (found.script or found.jar or "").endswith(_PROGRAMS):
            continue
        before = sum(len(line) + 1 for line in lines.split("\n")[: found.location.line - 1])
        yield replace(
            found,
            location=Location(path, text.count("\n", 0, before) + 1),
            args=None if _says_nothing(found.args) else found.args,
            configuration=(),
            environment=(),
            savepoint=None,
            allow_non_restored_state=None,
            assumed=(*found.assumed, f"it is started as {path} says"),
        )


def _says_nothing(args: tuple[str, ...] | None) -> bool:
    return not args or any(_PLACEHOLDER.search(argument) for argument in args)
