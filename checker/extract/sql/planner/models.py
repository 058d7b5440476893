"""Models and searches of vectors without their provider: functions that find nothing.

Flink has their classes from 2.1 and 2.2 on: stand-ins of them are compiled when a statement asks for one.
"""

from __future__ import annotations

from typing import Any

from checker.extract.runtime.capture.jvm import always, proxy
from checker.extract.sql.planner.functions import Functions

ASYNCHRONOUS = frozenset({"openai", "triton"})
"""The providers of models that Flink has: they answer later. What those of others do is not known."""
_ROW, _LATER = "org.apache.flink.table.data.RowData", "java.util.concurrent.CompletableFuture"
_ROWS, _NONE = f"java.util.Collection<{_ROW}>", "java.util.Collections.emptyList()"
_ANSWERS = {
    "AsyncPredictFunction": f"{_LATER}<{_ROWS}> asyncPredict({_ROW} r) {{ return {_LATER}.completedFuture({_NONE}); }}",
    "VectorSearchFunction": f"{_ROWS} vectorSearch(int most, {_ROW} r) {{ return {_NONE}; }}",
}


class Provider:
    """Of the functions of a model or of a search. The names of its methods are Java's."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def createAsyncPredictFunction(self, context: Any) -> Any:
        return self._function("AsyncPredictFunction")

    def createVectorSearchFunction(self) -> Any:
        return self._function("VectorSearchFunction")

    def _function(self, kind: str) -> Any:
        head = f"package checker;\npublic final class No{kind} extends org.apache.flink.table.functions.{kind}"
        text = f"{head} {{\n public {_ANSWERS[kind]}\n}}\n"
        return self._functions.load(f"checker.No{kind}", text)()

    def copy(self) -> Any:
        return proxy(["table.ml.AsyncPredictRuntimeProvider"], Provider(self._functions))

    asSummaryString = toString = always("stand-in")
