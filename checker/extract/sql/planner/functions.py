"""The user's functions in the planner's JVM: classes with the declared signatures and without bodies.

They are compiled by the JDK's own compiler, without annotation processors, so nothing of the repository runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.extract.sql.planner.jvm import class_path, java

Record = dict[str, Any]

_NO_COMPILER = "functions are declared by the JDK's compiler, and this is a JRE: install a JDK or set JAVA_HOME to one"


class Functions:
    """The functions of one script."""

    def __init__(self, records: Sequence[Record], folder: Path) -> None:
        self.folder = folder
        self._failures: dict[str, str] = {}
        for record in records:
            failure = record["failure"] if not record["units"] else self._compiled(record)
            if failure is not None:
                self._failures[record["class"]] = failure

    def failure(self, name: str) -> str | None:
        """Why the class of that name can't be used, None where it can."""
        failure = self._failures.get(name)
        return None if failure is None or _flinks_own(name) else failure

    def loader(self) -> Any:
        """A class loader that has the classes."""
        import jpype

        system = java("java.lang.ClassLoader").getSystemClassLoader()
        urls = jpype.JArray(java("java.net.URL"))([java("java.net.URL")(self.url)])
        return java("java.net.URLClassLoader")(urls, system)

    @property
    def url(self) -> str:
        """Where the classes are, for tasks of a cluster."""
        return f"{self.folder.as_uri()}/"

    def _compiled(self, record: Record) -> str | None:
        import jpype

        compiler = jpype.JClass("javax.tools.ToolProvider").getSystemJavaCompiler()
        if compiler is None:
            return _NO_COMPILER
        sources = self.folder / "sources" / str(len(list(self.folder.glob("sources/*"))))
        paths = []
        for name, text in record["units"]:
            path = sources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            paths.append(str(path))
        errors = java("java.io.ByteArrayOutputStream")()
        arguments = ["-proc:none", "-nowarn", "-g", "-parameters", "-implicit:none", "-encoding", "UTF-8",
                     "-d", str(self.folder), "-classpath", class_path(), *paths]  # fmt: skip
        failed = compiler.run(None, errors, errors, jpype.JArray(jpype.JString)(arguments))
        if not failed:
            return None
        lines = str(errors.toString()).splitlines()
        first = next((line.partition("error: ")[2] for line in lines if "error: " in line), "it does not compile")
        symbol = next((" ".join(line.split()) for line in lines if "symbol:" in line), "")
        return f"the function '{record['class']}' can't be declared: {' '.join((first, symbol)).strip()}"


def _flinks_own(name: str) -> bool:
    """Whether Flink's own jars have the class."""
    import jpype

    try:
        java("java.lang.Class").forName(name, False, java("java.lang.ClassLoader").getSystemClassLoader())
    except jpype.JException:
        return False
    return True


def called() -> list[str]:
    """The functions that the planner has called since the last question."""
    return sorted(str(name) for name in java("checker.Called").names())
