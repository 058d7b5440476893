"""Everything that a script can reach: its own file, and the modules that it imports at any distance.

Files that it may use although it was not followed there: what it imports, and what its texts name.
"""

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import NamedTuple

from checker.extract.asking.consulted import ask
from checker.extract.interpreting.memory import Trace
from checker.extract.paths import imported_as, in_tests
from checker.extract.python.interpreter.imports import folders_above, folders_of, source_roots
from checker.extract.python.interpreter.run_state import Limits
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.library.resources import named
from checker.extract.python.plain_code import KEPT, parsed
from checker.extract.python.reached.declarations import Declared, declared_in
from checker.extract.python.reached.detail import (
    DECIDING_NAMES,
    FINDING,
    GRAPH_NAMES,
    KEY_CALLS,
    STATE_NAMES,
    detail_of,
)
from checker.model.nested import gathered, reached
from checker.model.program_code import Declaration, Detail, Key, ProgramCode, ReachedCode, Role, Statement, simple_name
from checker.model.sources import SourceFiles

_PICKLES = frozenset({"pickle", "cloudpickle", "dill", "joblib"})
_OF_GRAPHS = frozenset(name.encode() for name in {"pyflink", *GRAPH_NAMES, *KEY_CALLS, *STATE_NAMES})
_FUNCTION = re.compile(r"Function$|^(KeySelector|Partitioner|Source|Sink|Trigger)$")


class PythonModules(ReachedCode):
    """``ReachedCode`` of a script."""

    state_names = STATE_NAMES
    key_calls = KEY_CALLS

    def __init__(self, files: SourceFiles, path: str, trace: Trace, *, opened: bool = False) -> None:
        self._files = files
        self._declared: dict[Key, Declared] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        limits = Limits()
        read = {path, *(file_path for file_path in trace.executed if file_path.endswith(".py"))}
        self._add_all(reachable(files, limits, path.rpartition("/")[0], read))
        if opened and any(not d.declaration.names.isdisjoint(FINDING) for d in self._declared.values()):
            self._add_all(_using_flink(files))
        if any(
            {"load", "loads"} & d.declaration.names and _PICKLES & d.declaration.names for d in self._declared.values()
        ):
            for file_path in ask(files, "ending", ".py"):
                files.read(file_path)  # any class may be what a pickle holds an object of

    def _add_all(self, paths: Iterable[str]) -> None:
        for path in sorted(path for path in paths if path.endswith(".py")):
            with suppress(KeyError):
                self._add(_tree(self._files.read(path), path), path)

    def _add(self, tree: ast.Module, path: str) -> None:
        for declared in declared_in(tree, path):
            self._declared[declared.declaration.key] = declared
            first = declared.body[0]
            if isinstance(first, ast.ClassDef):
                bases = (ast.unparse(base).partition("[")[0] for base in first.bases)
                self._bases[declared.declaration.key[0]] = tuple(base.rpartition(".")[2] for base in bases)

    @cached_property
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that the script can reach."""
        return {key: declared.declaration for key, declared in self._declared.items()}

    @cached_property
    def deciding(self) -> frozenset[Key]:
        """Declarations that build a graph, register state, choose keys or set serializers."""
        return frozenset(key for key, d in self.declarations.items() if d.names & DECIDING_NAMES)

    def unfollowed_detail(self, key: Key) -> Detail:
        """A declaration looked at closely, as it is where a program follows none of it."""
        return self.detail_in(Trace(), key)

    def detail_in(self, trace: Trace, key: Key) -> Detail:
        """A declaration looked at closely, where this was followed."""
        declared = self._declared[key]
        return detail_of(declared, declared.declaration.location.file, trace)

    def imported(self, words: AbstractSet[str]) -> Iterator[str]:
        """The full names whose last part is among some words, but for attributes of local variables."""
        for key in (key for key, d in self.declarations.items() if not d.names.isdisjoint(words)):
            for statement in self.unfollowed_detail(key).statements:
                yield from (name for name in statement.qualified if simple_name(name) in words)

    def role(self, owner: str) -> Role:
        """What a class is to Flink."""
        names = self.ancestors(owner)
        if "KeySelector" in names:
            return Role.KEY_SELECTOR
        return Role.FUNCTION if any(_FUNCTION.search(name) for name in names) else Role.DATA

    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""

        def above(name: str) -> Iterator[str]:
            return (b for path, bases in self._bases.items() if path.endswith(f".{name}") for b in bases)

        return frozenset({owner.rpartition(".")[2], *reached(self._bases.get(owner, ()), above)})


class PythonCode(ProgramCode):
    """``ProgramCode`` of a script."""

    reached: PythonModules

    def __init__(self, reached: PythonModules, trace: Trace) -> None:
        super().__init__(reached)
        self._trace = trace

    @cached_property
    def _statements(self) -> tuple[Statement, ...]:
        return tuple(s for key in self.reached.declarations for s in self.detail(key).statements)

    @cached_property
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""
        return tuple(s for s in self._statements if s.executed)

    @cached_property
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""
        return tuple(s for s in self._statements if s.gap)

    @cached_property
    def executed(self) -> frozenset[Key]:
        """The declarations of which anything was followed while the graph was built."""
        return frozenset(
            key for key in self.reached.declarations if any(s.executed for s in self.detail(key).statements)
        )

    def looked_at(self, key: Key) -> Detail:
        """A declaration looked at closely."""
        return self.reached.detail_in(self._trace, key)


def _using_flink(files: SourceFiles) -> frozenset[str]:
    """The modules that use PyFlink or build graphs, and those whose text names one of them, at any distance."""
    texts = {path: files.read(path) for path in ask(files, "ending", ".py") if not in_tests(path)}
    words = {path: frozenset(re.findall(rb"\w+", text)) for path, text in texts.items()}
    users = gathered((word, path) for path, mentioned in words.items() for word in mentioned)
    return frozenset(
        reached(
            (path for path in texts if not words[path].isdisjoint(_OF_GRAPHS)),
            lambda path: users.get(path.removesuffix(".py").rpartition("/")[2].encode(), ()),
        )
    )


def _tree(data: bytes, path: str) -> ast.Module:
    """A module; what does not parse is one text, in which every word may be a name."""
    try:
        return parsed(data, path)
    except (StoppedError, RecursionError):
        return ast.parse(f"unparsed = {data.decode('utf-8', 'replace')!r}")


_WORD = re.compile(r"\w+")


def reachable(files: SourceFiles, limits: Limits, folder: str, read: Iterable[str]) -> frozenset[str]:
    """Files that were read, the modules that they import at any distance, and the files that their texts name.

    ``folder`` is the script's. A text names a file by its path, by the end of its path or, where it is an ending such
    as ``.sql``, by that; names that are put together otherwise are not seen.
    """
    by_name = gathered((path.rpartition("/")[2], path) for path in files.paths())

    def leads_to(path: str) -> Iterable[str]:
        if (folder, path) not in limits.leading:
            limits.leading[folder, path] = frozenset(found(path) if path.endswith(".py") else ())
        return limits.leading[folder, path]

    def found(path: str) -> Iterable[str]:
        try:
            references = _references(limits.trees.get(path) or parsed(files.read(path), path))
        except KeyError:
            return ()
        except StoppedError:  # what it imports is not known: any module that its text names
            words = set(_WORD.findall(files.read(path).decode("utf-8", "replace")))
            return [module for word in words for module in by_name.get(f"{word}.py", ())]
        imported = {module for node in references.imports for module in _imported(node, path, limits, files)}
        return imported.union(*(_named(files, folder, text, by_name) for text in references.texts))

    return frozenset(reached(read, leads_to))


def not_found(files: SourceFiles, limits: Limits, modules: Iterable[str]) -> frozenset[str]:
    """Last parts of the names that modules import and that no file of the revision answers to."""
    missing: set[str] = set()
    for path in modules:
        for node in _references(_tree(files.read(path), path)).imports:
            here = set(map(imported_as, _imported(node, path, limits, files)))
            whole = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            asked = {name.rpartition(".")[2] for name in whole}
            if isinstance(node, ast.ImportFrom) and here.isdisjoint(asked):
                asked.update(alias.name for alias in node.names)
            missing |= asked - here
    return frozenset(missing)


class _References(NamedTuple):
    """What a file says of others."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    texts: frozenset[str]


@lru_cache(KEPT)
def _references(tree: ast.Module) -> _References:
    nodes = list(ast.walk(tree))
    compared = {id(node) for whole in nodes for node in _compared(whole)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in compared)
    return _References(
        imports=tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)),
        texts=frozenset(node.value for node in texts if isinstance(node.value, str)),
    )


def _compared(node: ast.AST) -> Iterable[ast.AST]:
    """Texts with which a value is only compared: they name no file."""
    if isinstance(node, ast.Compare):
        for operand in (node.left, *node.comparators):
            yield from operand.elts if isinstance(operand, ast.Tuple | ast.List | ast.Set) else (operand,)
    elif isinstance(node, ast.keyword) and node.arg == "choices":
        yield from ast.walk(node.value)


def _named(files: SourceFiles, folder: str, text: str, by_name: dict[str, list[str]]) -> Iterable[str]:
    yield from named(files, folder, text)
    last = text.rpartition("/")[2]
    ending = text.lstrip("./")
    yield from _nearest(folder, [path for path in by_name.get(last, ()) if ending and path.endswith(f"/{ending}")])
    if text.startswith(".") and text.count(".") == 1 and text[1:].isalnum():
        yield from (path for paths in by_name.values() for path in paths if path.endswith(text))


def _nearest(folder: str, paths: Sequence[str]) -> Iterable[str]:
    """Of several files, those that share most of their folders with the script's: other modules have files alike."""
    shared = {path: len(posixpath.commonpath((folder, posixpath.dirname(path)))) for path in paths}
    return [path for path, length in shared.items() if length == max(shared.values())]


def _imported(node: ast.Import | ast.ImportFrom, path: str, limits: Limits, files: SourceFiles) -> Iterable[str]:
    folder = path.rpartition("/")[0]
    roots = folders_above(folder)
    if isinstance(node, ast.Import):
        dotted = [alias.name for alias in node.names]
    else:
        dotted = [node.module or "", *(f"{node.module or ''}.{alias.name}".lstrip(".") for alias in node.names)]
        if node.level:
            roots = roots[node.level - 1 : node.level]
    for name in dotted:
        parts = name.split(".") if name else []
        installed = source_roots(folders_of(limits, files), parts) if not getattr(node, "level", 0) else ()
        for root in (*roots, *installed):
            for number in range(len(parts) + 1):
                base = "/".join(part for part in (root, *parts[:number]) if part)
                for candidate in ((f"{base}.py",) if number else ()) + (f"{base}/__init__.py".lstrip("/"),):
                    if named(files, "", candidate):
                        yield candidate
