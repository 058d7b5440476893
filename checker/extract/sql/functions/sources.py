"""Functions by the name of their class or Python object: declarations that can be compiled, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.paths import module_of
from checker.extract.sql.functions.skeletons import FunctionSource, skeletons
from checker.model.sources import SourceFiles

_OTHER_LANGUAGES = {".scala": "Scala", ".kt": "Kotlin"}


def function_sources(files: SourceFiles, wanted: Iterable[tuple[str, str]], near: str) -> tuple[FunctionSource, ...]:
    """The functions of the given (class, language), each once. Nested classes are joined with ``$`` or dots.

    ``near`` is the file that names them: of several classes of one name, that of its own module counts.
    """
    index = ClassIndex(files)
    found: list[FunctionSource] = []
    declared = []
    for name, language in dict.fromkeys(wanted):
        there = _candidates(index, name, near) if language != "python" else []
        if language == "python":
            found.append(FunctionSource(name=name, failure=f"the function '{name}' is written in Python"))
        elif not there:
            found.append(FunctionSource(name=name, failure=_missing(files, name)))
        elif len(there) > 1 and len({skeletons(index, [(name, decl)])[0].units for decl in there}) > 1:
            paths = " and in ".join(decl.unit.path for decl in there)
            why = f"cannot tell which function '{name}' {near} uses: it differs in {paths}"
            found.append(FunctionSource(name=name, failure=why, files=tuple(decl.unit.path for decl in there)))
        else:
            declared.append((name, there[0]))
    return (*found, *skeletons(index, declared))


def _candidates(index: ClassIndex, name: str, near: str) -> list[ClassDecl]:
    """The classes that a name may mean: those of the innermost module around ``near``, where it has any."""
    found = index.namesakes(name, near)
    modules = {module for decl in found if not (module := module_of(decl.unit.path)) or near.startswith(f"{module}/")}
    own = max(modules, key=len, default=None)
    return [decl for decl in found if own in (None, module_of(decl.unit.path))]


def _missing(files: SourceFiles, name: str) -> str:
    simple = name.rpartition(".")[2].partition("$")[0]
    for ending, language in _OTHER_LANGUAGES.items():
        if any(path.endswith(f"/{simple}{ending}") for path in files.paths()):
            return f"the function '{name}' is written in {language}, which is not read"
    return f"the function '{name}' is not in the repository"
