"""The repository's own connectors, formats and catalogs of tables: Flink finds them by ``META-INF/services``.

Source: ``FactoryUtil.discoverFactory``, ``TableFactoryService``.
"""

from __future__ import annotations

from checker.extract.asking.consulted import ask
from checker.extract.java.syntax.paths import in_tests
from checker.model.sources import SourceFiles

_FOLDER = "META-INF/services/"
_FACTORIES = f"{_FOLDER}org.apache.flink.table.factories."


def own_factories(files: SourceFiles) -> tuple[str, ...]:
    """Their classes by qualified names: no code of a program names them."""
    paths = [path for path in ask(files, "within", _FOLDER) if _FACTORIES in path and not in_tests(path)]
    lines = [line for path in paths for line in files.read(path).decode("utf-8", "replace").splitlines()]
    return tuple(dict.fromkeys(name for line in lines if (name := line.partition("#")[0].strip())))
