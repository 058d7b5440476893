"""What a source file says to a program while its graph is built: names of content for code that was not followed."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cached_property

from checker.extract.interpreting.trace import Trace
from checker.extract.java.reached.roles import STATE_NAMES, role_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import MethodDecl
from checker.extract.java.syntax.tree import COMMENTS, text, walk
from checker.model.program_code import Role
from checker.model.sources import SourceFiles

_FOR_RECORDS = frozenset(
    {
        "map", "map1", "map2", "flatMap", "flatMap1", "flatMap2", "filter", "reduce", "processElement",
        "processElement1", "processElement2", "processBroadcastElement", "onTimer", "invoke", "asyncInvoke",
        "timeout", "add", "merge",
        "getResult", "extractTimestamp", "onEvent", "onPeriodicEmit", "run", "cancel", "close",
    }
)  # fmt: skip
"""Methods of functions that Flink calls with records, long after the graph was built."""

_WORD = re.compile(r"\w+|\*")


class CodeNames:
    """Names of what files say: their tokens, without methods that only run with records.

    A method that may register state, or that was followed while the graph was built, counts, and an import whose name
    the rest mentions. ``trace`` says what was followed; without it every method counts. Of a file that was not parsed
    all bytes count.
    """

    def __init__(self, index: ClassIndex, files: SourceFiles, trace: Trace | None) -> None:
        self._index = index
        self._files = files
        self._trace = trace

    def name(self, path: str) -> str:
        """The name of what the file at a path says. Raises KeyError."""
        if not path.endswith(".java") or not self._index.knows(path):
            return self._files.content_id(path)
        unit = self._index.unit(path)
        left_out: set[int] = set()
        if self._trace is not None:
            followed = self._trace.executed.get(path, set())
            methods = (m for decl in self._index.types_of(unit) for m in decl.methods)
            left_out.update(m.node.id for m in methods if self._only_with_records(m, followed))
        leaves: list[str] = []
        imports: set[str] = set()
        pending = [unit.source.root]
        while pending:
            node = pending.pop()
            if node.type in COMMENTS or node.id in left_out:
                continue
            if node.type == "import_declaration":
                imports.add(text(node))
            elif not node.children or node.type == "string_literal":
                leaves.append(text(node))
            else:
                pending.extend(reversed(node.children))
        named = {*leaves, "*"}
        return "\n".join([*sorted(i for i in imports if _WORD.findall(i)[-1] in named), *leaves])

    def _only_with_records(self, method: MethodDecl, followed: Set[int]) -> bool:
        if method.name not in _FOR_RECORDS or role_of(method.owner, self._index) is not Role.FUNCTION:
            return False
        start, end = method.node.start_byte, method.node.end_byte
        if any(start <= place < end for place in followed):
            return False
        return _identifiers(method).isdisjoint(self._registering)

    @cached_property
    def _registering(self) -> frozenset[str]:
        """Names of Flink's that register state, of the methods that mention them, and of those that call these."""
        paths = [path for path in self._index.used_paths if path.endswith(".java") and self._index.knows(path)]
        owners = [decl for path in paths for decl in self._index.types_of(self._index.unit(path))]
        methods = [(m.name, _identifiers(m)) for owner in owners for m in owner.methods]
        found = STATE_NAMES | {"getRuntimeContext"}
        while True:
            more = frozenset(name for name, mentioned in methods if name not in found and mentioned & found)
            if not more - {"open", "<init>"} - _FOR_RECORDS:
                return found
            found |= more - {"open", "<init>"} - _FOR_RECORDS


def _identifiers(method: MethodDecl) -> frozenset[str]:
    return frozenset(text(node) for node in walk(method.node) if node.type == "identifier")
