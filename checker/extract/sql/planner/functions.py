"""The user's functions in the planner's JVM: classes with the declared signatures and without bodies.

They are compiled by the JDK's own compiler, without annotation processors, so nothing of the repository runs.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import always, java, proxy
from checker.extract.sql.planner.allowed import SERIALIZED, holds_serializer
from checker.extract.sql.planner.jvm import class_path
from checker.model.nested import Json

_ERROR = re.compile(r"(?P<path>.*?\.java):\d+: error: (?P<message>.*)")
_NO_COMPILER = "functions are declared by the JDK's compiler, and this is a JRE: install a JDK or set JAVA_HOME to one"


class Functions:
    """The functions of one script."""

    def __init__(self, records: Sequence[Json], folder: Path) -> None:
        self.folder = folder
        self._failures: dict[str, str] = {r["class"]: r["failure"] for r in records if r["failure"] is not None}
        self._loaded: Any = None
        left = [record for record in records if record["failure"] is None]
        while left:
            broken = self._compiled({name: text for record in left for name, text in record["units"]})
            concerned = [r for r in left if broken.keys() & {name for name, _ in r["units"]}] or (
                left if broken else []
            )
            for record in concerned:
                own = [why for name, why in broken.items() if name in dict(record["units"])] or [*broken.values()]
                self._failures[record["class"]] = f"the function '{record['class']}' can't be declared: {own[0]}"
            if not concerned:
                break
            left = [record for record in left if record not in concerned]

    def failure(self, name: str) -> str | None:
        """Why the class of that name can't be used, None where it can."""
        failure = self._failures.get(name)
        return None if failure is None or _flinks_own(name) else failure

    def loader(self) -> Any:
        """A class loader that has the classes."""
        import jpype

        system = java("java.lang.ClassLoader").getSystemClassLoader()
        self.folder.mkdir(parents=True, exist_ok=True)
        urls = jpype.JArray(java("java.net.URL"))([java("java.net.URL")(self.url)])
        return java("java.net.URLClassLoader")(urls, system)

    def load(self, name: str, text: str | None = None) -> Any:
        """The class of that name, which may be one of ours that is compiled for it. Raises what Java throws."""
        import jpype

        if text is not None:
            self._compiled({f"{name.replace('.', '/')}.java": text})
        if self._loaded is None:
            self._loaded = self.loader()
        return jpype.JClass(java("java.lang.Class").forName(name, True, self._loaded))

    @property
    def url(self) -> str:
        """Where the classes are, for tasks of a cluster."""
        return f"{self.folder.as_uri()}/"

    def _compiled(self, units: Mapping[str, str]) -> dict[str, str]:
        """Compile all of them; the files that do not, each with what javac says first."""
        import jpype

        compiler = jpype.JClass("javax.tools.ToolProvider").getSystemJavaCompiler()
        if compiler is None:
            return dict.fromkeys(units, _NO_COMPILER)
        sources = self.folder / "sources"
        for name, text in units.items():
            path = sources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        errors = java("java.io.ByteArrayOutputStream")()
        paths = [str(sources / name) for name in units]
        arguments = ["-proc:none", "-nowarn", "-g", "-parameters", "-implicit:none", "-encoding", "UTF-8",
                     "-d", str(self.folder), "-classpath", class_path(), *paths]  # fmt: skip
        if not compiler.run(None, errors, errors, jpype.JArray(jpype.JString)(arguments)):
            read = any(holds_serializer(path.read_bytes()) for path in self.folder.rglob("*.class"))
            return dict.fromkeys(units, SERIALIZED) if read else {}
        return _broken(str(errors.toString()), sources) or dict.fromkeys(units, "the compiler refuses it")


def _broken(output: str, sources: Path) -> dict[str, str]:
    """File → the first error of the compiler there, with the symbol that it does not find."""
    found: dict[str, str] = {}
    name = ""
    for line in output.splitlines():
        error = _ERROR.match(line)
        if error and error["path"].startswith(str(sources)):
            name = str(Path(error["path"]).relative_to(sources))
            found.setdefault(name, error["message"])
        elif name and "symbol:" in line and found[name] == "cannot find symbol":
            found[name] += f" ({' '.join(line.split()).removeprefix('symbol: ')})"
    return found


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


ASYNCHRONOUS = frozenset({"openai", "triton"})
"""The providers of models that Flink has: they answer later. What those of others do is not known."""
_ROW, _LATER = "org.apache.flink.table.data.RowData", "java.util.concurrent.CompletableFuture"
_PREDICTS = f"""package checker;
public final class NoPrediction extends org.apache.flink.table.functions.AsyncPredictFunction {{
 public {_LATER}<java.util.Collection<{_ROW}>> asyncPredict({_ROW} r) {{
  return {_LATER}.completedFuture(java.util.Collections.emptyList());
 }}
}}
"""


class ModelProvider:
    """Of the function of a model. The names of its methods are Java's."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def createAsyncPredictFunction(self, context: Any) -> Any:
        return self._functions.load("checker.NoPrediction", _PREDICTS)()

    def copy(self) -> Any:
        return proxy(["table.ml.AsyncPredictRuntimeProvider"], ModelProvider(self._functions))

    asSummaryString = toString = always("stand-in")
