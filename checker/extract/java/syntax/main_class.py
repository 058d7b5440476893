"""Where the program of a pipeline begins: its main class, and the method that is called there."""

from __future__ import annotations

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.model.pipelines import PipelineEntry


def main_class(index: ClassIndex, entry: PipelineEntry) -> ClassDecl:
    """The class that an entry names. Raises PipelineMissingError, and ExtractionError where it can't be read."""
    decl: ClassDecl | None = None
    if entry.main is not None:
        decl = index.find(entry.main, entry.file or "")
        if decl is not None and entry.file is not None and decl.unit.path != entry.file:
            decl = _in_file(index, entry.file, entry.main) or decl
    if decl is None and entry.file is not None:
        decl = _in_file(index, entry.file, entry.main)
    if decl is None:
        wanted = entry.main or entry.file or entry.name
        raise PipelineMissingError(
            f"{entry.name}: no class '{wanted}' among the {len(index.ask('java'))} Java files of this revision; "
            "check 'main' in the configuration"
        )
    if decl.unit.refused is not None:
        raise ExtractionError(f"{entry.name}: {decl.unit.refused}")
    return decl


def _in_file(index: ClassIndex, path: str, main: str | None) -> ClassDecl | None:
    try:
        unit = index.unit(path)
    except KeyError:
        return None
    if unit.source.refused is not None:
        raise ExtractionError(unit.source.refused)
    for decl in unit.types.values():
        if main is None or main in (decl.qualified_name, decl.name):
            return decl
    return next(iter(unit.types.values()), None) if main is None else None


def main_method(index: ClassIndex, decl: ClassDecl) -> MethodDecl | None:
    """The main method of a class: ``static void main(String[])``, inherited, or the forms of Java 21."""
    candidates = [
        method for owner in index.lineage(decl) for method in owner.methods_named("main") if not method.abstract
    ]
    for method in candidates:
        if method.static and len(method.parameters) == 1 and method.parameters[0].type.dimensions == 1:
            return method
    return next((method for method in candidates if len(method.parameters) <= 1), None)
