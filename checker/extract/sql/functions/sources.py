"""Functions by the name of their class or Python object: declarations that can be compiled, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.sql.functions.records import FunctionSource
from checker.extract.sql.functions.skeletons import skeletons
from checker.model.sources import SourceFiles

_OTHER_LANGUAGES = {".scala": "Scala", ".kt": "Kotlin"}


def function_sources(files: SourceFiles, wanted: Iterable[tuple[str, str]]) -> tuple[FunctionSource, ...]:
    """The functions of the given (class, language), each once. Nested classes are joined with ``$`` or dots."""
    index = ClassIndex(files)
    found: list[FunctionSource] = []
    declared = []
    for name, language in dict.fromkeys(wanted):
        decl = index.find(name) if language != "python" else None
        if language == "python":
            found.append(FunctionSource(name=name, failure=f"the function '{name}' is written in Python"))
        elif decl is None:
            found.append(FunctionSource(name=name, failure=_missing(files, name)))
        else:
            declared.append((name, decl))
    return (*found, *skeletons(index, declared))


def _missing(files: SourceFiles, name: str) -> str:
    simple = name.rpartition(".")[2].partition("$")[0]
    for ending, language in _OTHER_LANGUAGES.items():
        if any(path.endswith(f"/{simple}{ending}") for path in files.paths()):
            return f"the function '{name}' is written in {language}, which is not read"
    return f"the function '{name}' is not in the repository"
