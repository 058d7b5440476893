"""Which source files outside of tests use Flink: where none of them starts a job that is known, nothing is checked."""

from __future__ import annotations

import re

from checker.extract.asking.consulted import ask, plain
from checker.extract.asking.content_facts import Facts
from checker.extract.paths import in_tests
from checker.model.sources import SourceFiles

_ENDINGS = (".java", ".kt", ".scala", ".groovy", ".py")
_USES = re.compile(rb"^\s*(?:import|from)\s+(?:static\s+)?(?:org\.apache\.flink|pyflink)\b", re.MULTILINE)
_LOOKED = Facts("uses flink", lambda data: (int(_USES.search(data) is not None),))


def using_flink(files: SourceFiles) -> tuple[str, ...]:
    """The paths of such files, sorted."""
    paths = [path for ending in _ENDINGS for path in ask(files, "ending", ending) if not in_tests(path)]
    return tuple(sorted(p for p, (uses,) in _LOOKED.of(plain(files), paths, absent=(0,)).items() if uses))
