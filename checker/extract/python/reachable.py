"""Files that a script may use although it was not followed there: what it imports, and what its texts name."""

from __future__ import annotations

import ast
import hashlib
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from checker.extract.python.interpreter.imports import folders_above, folders_of, source_roots
from checker.extract.python.interpreter.run_state import Limits
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.plain_code import KEPT, parsed
from checker.extract.python.reached.detail import graph_code
from checker.extract.python.repository_files import named
from checker.model.sources import SourceFiles

_WORD = re.compile(r"\w+")


def reachable(files: SourceFiles, limits: Limits, folder: str, read: Iterable[str]) -> frozenset[str]:
    """Files that were read, the modules that they import at any distance, and the files that their texts name.

    ``folder`` is the script's. A text names a file by its path, by the end of its path or, where it is an ending such
    as ``.sql``, by that; names that are put together otherwise are not seen.
    """
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in files.paths():
        by_name[path.rpartition("/")[2]].append(path)
    found = set(read)
    pending = sorted(path for path in found if path.endswith(".py"))
    while pending:
        path = pending.pop()
        tree = limits.trees.get(path)
        if tree is None:
            try:
                tree = parsed(files.read(path), path)
            except KeyError:
                continue
            except StoppedError:  # what it imports is not known: any module that its text names
                words = set(_WORD.findall(files.read(path).decode("utf-8", "replace")))
                named_so = {p for word in words for p in by_name.get(f"{word}.py", ())} - found
                pending.extend(sorted(named_so))
                found |= named_so
                continue
        references = _references(tree)
        more = {found for node in references.imports for found in _imported(node, path, limits, files)}
        more.update(found for text in references.texts for found in _named(files, folder, text, by_name))
        pending.extend(sorted(script for script in more - found if script.endswith(".py")))
        found |= more
    return frozenset(found)


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


def contents(files: SourceFiles, limits: Limits, read: Iterable[str]) -> Callable[[str], str]:
    """Names, by path, of what files say to a program: of Python files only what its graph can depend on counts."""
    trees: dict[str, ast.Module] = {}
    for path in read:
        try:
            tree = limits.trees.get(path)
            if path.endswith(".py"):
                trees[path] = tree or parsed(files.read(path), path)
        except (StoppedError, KeyError):
            continue
    try:
        texts = graph_code(trees)
    except RecursionError:
        texts = {}

    def content(path: str) -> str:
        if path not in texts:
            return files.content_id(path)
        return hashlib.sha256(texts[path].encode("utf-8", "surrogatepass")).hexdigest()

    return content


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
