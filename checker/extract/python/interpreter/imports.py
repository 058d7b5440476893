"""``import``: modules of the repository are run, everything else is a dotted path."""

import ast
from collections.abc import Sequence
from typing import Any

from checker.extract.python.interpreter.evaluate import block
from checker.extract.python.interpreter.run_state import Limits, Run, at
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import External, FilePath, Module, Scope, Value, unknown
from checker.extract.python.library import program_arguments, python_functions
from checker.extract.python.plain_code import parsed
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause, Location


def run_file(run: Run, path: str, name: str) -> Module:
    """Run a file as a module. Raises StoppedError where it does not parse, KeyError without the file."""
    if path in run.modules:
        return run.modules[path]
    scope = Scope({"__name__": name, "__file__": FilePath(path)}, path)
    folder = path.removesuffix("__init__.py").rstrip("/") if path.endswith("__init__.py") else path.removesuffix(".py")
    run.modules[path] = Module(scope, folder)
    block(run, _tree(run, path).body, scope)
    return run.modules[path]


def _tree(run: Run, path: str) -> ast.Module:
    tree = run.limits.trees.get(path)
    if tree is None:
        run.limits.read.add(path)
        tree = run.limits.trees[path] = parsed(run.files.read(path), path)
    return tree


def import_names(run: Run, node: Any, scope: Scope) -> None:
    """``import a.b``, ``import a.b as c``."""
    for alias in node.names:
        top = alias.name.split(".")[0]
        module = module_named(run, alias.name, scope.file)
        if module is None:
            path = alias.name if alias.asname else top
            scope.names[alias.asname or top] = external(run, External(path), at(node, scope))
        else:
            imported = module if alias.asname or "." not in alias.name else module_named(run, top, scope.file)
            scope.names[alias.asname or top] = imported or module


def import_from(run: Run, node: Any, scope: Scope) -> None:
    """``from a import b``, ``from . import b``, ``from a import *``."""
    dotted = "." * node.level + (node.module or "")
    module = module_named(run, dotted, scope.file)
    place = at(node, scope)
    if module is None and node.level:
        raise stopped(f"the repository has no module '{dotted}'", Cause.OTHER, place)
    for alias in node.names:
        if alias.name == "*":
            if module is None:
                scope.module().stars[dotted] = External(dotted)
            elif module.scope is not None:
                _import_all(module.scope, scope)
        elif module is None:
            made = external(run, External(f"{dotted}.{alias.name}"), place)
            scope.names[alias.asname or alias.name] = made
        elif module.scope is not None and alias.name in module.scope.names:
            scope.names[alias.asname or alias.name] = module.scope.names[alias.name]
        else:
            scope.names[alias.asname or alias.name] = member(run, module, alias.name, place)


def _import_all(module: Scope, scope: Scope) -> None:
    exported = module.names.get("__all__")
    for name, member in module.names.items():
        listed = name in exported if isinstance(exported, list | tuple) else not name.startswith("_")
        if listed:
            scope.names[name] = member
    scope.module().stars.update(module.stars)


def member(run: Run, module: Module, name: str, place: Location) -> Value:
    """A module below a package."""
    base = f"{module.folder}/{name}".lstrip("/")
    file = _file_of(run, base)
    if file is not None:
        return run_file(run, file, name)
    if base in folders_of(run.limits, run.files):
        return Module(None, base)
    return unknown(f"{name} is not defined in {module.folder}", Cause.OTHER, place)


def module_named(run: Run, dotted: str, file: str) -> Module | None:
    """A module of the repository: beside the script, above it, or in a ``src`` folder; packages above it are run."""
    level = len(dotted) - len(dotted.lstrip("."))
    if dotted.partition(".")[0] == "pyflink":
        return None  # also where a repository holds a copy of PyFlink: it is known, not followed
    parts = [part for part in dotted.lstrip(".").split(".") if part]
    folder = file.rpartition("/")[0]
    if level:
        for _ in range(level - 1):
            folder = folder.rpartition("/")[0]
        roots = [folder]
    else:
        roots = folders_above(folder)
        installed = source_roots(folders_of(run.limits, run.files), parts)
        roots.extend(installed if len(installed) == 2 else installed[:1])  # which of several is installed is not known
    for root in roots:
        found = _below(run, root, parts)
        if found is not None:
            return found
    return None


def folders_above(folder: str) -> list[str]:
    """Folders in the order in which modules are looked for: beside a file, above it, from the root."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found


def _below(run: Run, root: str, parts: list[str]) -> Module | None:
    base = "/".join([root, *parts]).strip("/") if root else "/".join(parts)
    file = _file_of(run, base)
    if file is None and (not parts or base not in folders_of(run.limits, run.files)):
        return Module(None, base) if not parts and (base in folders_of(run.limits, run.files) or base == "") else None
    for number in range(1, len(parts)):
        package = "/".join([root, *parts[:number], "__init__.py"]).lstrip("/")
        if _exists(run, package):
            run_file(run, package, ".".join(parts[:number]))
    return Module(None, base) if file is None else run_file(run, file, ".".join(parts))


def _file_of(run: Run, base: str) -> str | None:
    """The file of a module, or of a package."""
    return next((path for path in (f"{base}.py", f"{base}/__init__.py".lstrip("/")) if _exists(run, path)), None)


def _exists(run: Run, path: str) -> bool:
    try:
        run.files.content_id(path)
    except KeyError:
        return False
    return True


def folders_of(limits: Limits, files: SourceFiles) -> frozenset[str]:
    """All folders that hold a Python file, at any depth."""
    if limits.folders is None:
        found: set[str] = set()
        for path in files.paths():
            if path.endswith(".py"):
                folder = path.rpartition("/")[0]
                while folder and folder not in found:
                    found.add(folder)
                    folder = folder.rpartition("/")[0]
        limits.folders = frozenset(found)
    return limits.folders


def source_roots(folders: frozenset[str], parts: Sequence[str]) -> list[str]:
    """Where projects that are installed may keep a package: ``src`` of the root, and of other projects that have it."""
    return ["src", *sorted(f for f in folders if f.endswith("/src") and parts and f"{f}/{parts[0]}" in folders)]


def external(run: Run, imported: External, place: Location) -> Value:
    """Something from outside; the few that are values of the program's surroundings are looked up."""
    if imported.path == "sys.argv":
        return program_arguments.argument_vector(run, place)
    known = python_functions.constant(imported.path)
    return imported if known is None else known
