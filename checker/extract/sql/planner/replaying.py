"""The calls of a program to the Table API, made again on a real table environment whose tables are stand-ins.

Runs in the child process. Only methods of Flink's own API and of a few plain classes of Java are called, with constants
and with what earlier calls gave. Streams of the program are sources that emit nothing; what the planner makes of a call
is distinguished by the numbers that Flink gives to transformations.
"""

import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from checker.extract.runtime.capture.jvm import array_list, causes, java
from checker.extract.sql.planner.allowed import check_call, check_plan, check_text, class_of_api
from checker.extract.sql.planner.functions import Functions
from checker.extract.sql.planner.jvm import NotReplayedError, class_named, flink_minor, literal, plain_overload
from checker.extract.sql.planner.sinks import stateless_sink
from checker.extract.sql.planner.sources import idle_source
from checker.model.nested import Json
from checker.model.table_programs import may_be_set, may_plan

_CLASSES = ("java.lang.", "java.util.", "java.time.", "java.math.", "java.sql.", "org.apache.flink.types.",
            "org.apache.flink.table.")  # fmt: skip
"""Packages whose classes may be named."""
_INSERT = re.compile(r"\s*insert\b", re.IGNORECASE)
_IN_PYTHON = "org.apache.flink.table.functions.python."
_OF_ARRAYS = ("table.expressions.Expression", "java.lang.String", "table.types.DataType", "table.api.DataTypes$Field")
_WITHOUT_EFFECT = frozenset({"useBlinkPlanner", "useAnyPlanner"})
"""Calls that newer versions do not have any more and that ask for what these do anyhow."""
_MAKES_STREAMS = frozenset({"toDataStream", "toAppendStream", "toRetractStream", "toChangelogStream"})


CATALOGS = {
    "org.apache.flink.table.catalog.hive.HiveCatalog": "hive",
    "org.apache.flink.connector.jdbc.catalog.JdbcCatalog": "jdbc",
    "org.apache.flink.table.catalog.GenericInMemoryCatalog": "generic_in_memory",
}
"""Classes whose objects are catalogs, and the type that SQL knows them by."""


@dataclass(frozen=True, slots=True)
class _CatalogObject:
    """A catalog that the program makes: what is in it is not known, nor is what it connects to."""

    type: str
    database: str | None


class Replay:
    """The calls of one program, one after the other. A call that fails leaves those that need its result undone."""

    def __init__(
        self,
        program: Json,
        open_environment: Callable[..., Any],
        execute: Callable[..., Any],
        functions: Functions,
        register: Callable[..., None],
    ) -> None:
        """``open_environment(stream, settings)`` makes a table environment; ``execute(text)`` runs one statement.

        ``register(name, options)`` adds a catalog as ``CREATE CATALOG`` does.
        """
        self._program = program
        self._open = open_environment
        self._execute = execute
        self._functions = functions
        self._register = register
        self._results: list[Any] = []
        self._failures: dict[int, str] = {}
        self._environment_failure: str | None = None
        self._streams: dict[int, Any] = {}
        self.stream_environment: Any = None
        self.ranges: list[tuple[int, int, int]] = []
        """(step, first, last): numbers of the transformations that it made."""
        self.stream_numbers: dict[int, int] = {}
        """Number of the stand-in of a stream → its place."""
        self.results: dict[int, int] = {}
        """Step → number of the transformation that it gave as a stream."""

    def step(self, place: int, record: Json) -> None:
        """Make one call. Raises NotReplayedError, or what Flink throws."""
        try:
            self._results.append(self._made(place, record))
        except Exception as error:
            self._results.append(None)
            self._failures[place] = _message(error)
            if self._concerns_all(record):
                self._environment_failure = self._failures[place]
            raise

    def first_failure(self, before: int) -> str | None:
        """The first call before a step that could not be made, where it failed by itself."""
        for place, reason in self._failures.items():
            step = self._program["steps"][place]
            if place < before and step["call"] != "new" and not _idle(step):  # of a superclass, which is abstract
                return f"{step['call']}(): {reason}"
        return None

    def _concerns_all(self, record: Json) -> bool:
        """Whether what could not be called may change the plan of everything behind it: options of the environment."""
        if _idle(record):
            return False
        on = record["on"]
        name = "" if isinstance(on, str) else str(self._class_of(on))
        return name.rpartition(".")[2] in ("TableConfig", "Configuration") or record["call"] in (
            "useCatalog", "useDatabase", "loadModule", "unloadModule", "useModules",
        )  # fmt: skip

    def _class_of(self, place: int) -> str:
        result = self._results[place]
        known = hasattr(result, "getClass")
        return str(result.getClass().getName()) if known else ""

    def _made(self, place: int, record: Json) -> Any:
        on, call = record["on"], record["call"]
        if call == "new" and on in CATALOGS:
            return _catalog(CATALOGS[on], record["arguments"])
        arguments = [self._value(argument) for argument in record["arguments"]]
        if isinstance(on, str):
            return self._static(on, call, arguments)
        receiver = self._result(on)
        if place in self._program["holes"]:
            if self._environment_failure is not None:
                raise NotReplayedError(f"an unknown option of the table environment: {self._environment_failure}")
            return self._planned(place, receiver, call, arguments, self._program["holes"][place])
        if call.startswith("set") and len(arguments) > 1 and not may_be_set(_key_of(arguments[0])):
            return receiver
        if call == "executeSql" or (call == "sqlUpdate" and not _INSERT.match(str(arguments[0]))):
            return self._execute(str(arguments[0]))
        if call == "registerCatalog" and isinstance(arguments[-1], _CatalogObject):
            made: _CatalogObject = arguments[-1]
            database = {} if made.database is None else {"default-database": made.database}
            return self._register(str(arguments[0]), {"type": made.type, **database})
        return self._called(receiver, call, arguments)

    def _planned(self, place: int, receiver: Any, call: str, arguments: Sequence[Any], parallelism: int) -> Any:
        transformation = java("api.dag.Transformation")
        if self.stream_environment is not None:
            self.stream_environment.setParallelism(parallelism)
        first = int(transformation.getNewNodeId())
        sql = call == "executeSql"
        made = self._execute(str(arguments[0])) if sql else self._called(receiver, call, arguments)
        self.ranges.append((place, first, int(transformation.getNewNodeId())))
        if call in _MAKES_STREAMS:
            self.results[place] = int(made.getTransformation().getId())
        return made

    def _static(self, owner: str, call: str, arguments: Sequence[Any]) -> Any:
        if not class_of_api(owner):
            raise NotReplayedError(f"{owner} is not called")
        simple = owner.rpartition(".")[2]
        if simple in ("TableEnvironment", "StreamTableEnvironment") and call == "create":
            stream = next((argument for argument in arguments if argument is self.stream_environment), None)
            settings = next((argument for argument in arguments if argument is not self.stream_environment), None)
            return self._open(stream, settings)
        found = class_named(owner)
        aggregates = owner.endswith("AggregateFunction")
        if call == "new" and owner.startswith(_IN_PYTHON) and not aggregates and flink_minor() < (1, 16):
            raise NotReplayedError("functions in Python are planned as Flink takes them from 1.16 on")
        if call == "new":
            return found(*arguments)
        return self._called(found, call, arguments)

    def _called(self, receiver: Any, call: str, arguments: Sequence[Any]) -> Any:
        import jpype

        if call in _WITHOUT_EFFECT and not hasattr(receiver, call):
            return receiver
        if call == "createTemporaryTable" and flink_minor() < (1, 15):
            call = "createTable"  # no module makes the connectors of temporary ones there, and catalogs never do
        check_call(receiver, call)
        if call == "fromJsonString":
            check_plan(str(arguments[0]))
        method = getattr(receiver, f"{call}_" if keyword.iskeyword(call) else call)
        if not arguments and not callable(method):
            return method  # a field
        plain = plain_overload(receiver, call, arguments)
        if plain is not None:
            plain.setAccessible(True)  # a class of Flink's own that is not public
            return plain.invoke(receiver, list(arguments))
        try:
            return method(*arguments)
        except TypeError:  # a number of Python for an argument that is a Long of Java
            if not any(isinstance(a, jpype.JInt) for a in arguments):
                raise
            box = java("java.lang.Long").valueOf
            return method(*(box(int(a)) if isinstance(a, jpype.JInt) else a for a in arguments))

    def _result(self, place: int) -> Any:
        if place in self._failures:
            raise NotReplayedError(self._failures[place])
        return self._results[place]

    def _value(self, argument: Json) -> Any:
        kind: str = argument["kind"]
        given: Any = argument.get("value")
        if kind == "literal":
            if isinstance(given, str):
                check_text(given)
            return literal(given, argument["java"])
        if kind == "result":
            return self._result(given)
        if kind == "text":  # texts and steps in turn
            text = "".join(str(self._result(int(p))) if place % 2 else p for place, p in enumerate(given))
            check_text(text)
            return text
        if kind == "several":
            return self._array([self._value(item) for item in given])
        if kind == "options":
            configuration = java("configuration.Configuration")()
            for key, item in given:
                if may_be_set(key) and (item["kind"] != "unknown" or may_plan(key)):
                    configuration.setString(key, str(self._value(item)))
            return configuration
        if kind == "class":
            if not given.startswith(_CLASSES):
                raise NotReplayedError(f"{given} is a class of the program's own or of a library")
            return class_named(given).class_
        if kind == "stream-environment":
            return self._stream_environment()
        if kind == "stream":
            return self._stream(given)
        if kind in ("own", "own-object"):
            failure = self._functions.failure(given)
            if failure is not None:
                raise NotReplayedError(failure)
            loaded = self._functions.load(given)
            return loaded.class_ if kind == "own" else loaded()
        raise NotReplayedError(given)  # unknown

    def _array(self, items: list[Any]) -> Any:
        import jpype

        for kind in _OF_ARRAYS:
            if items and all(isinstance(item, java(kind)) for item in items):
                return jpype.JArray(java(kind))(items)
        return array_list(items)

    def _stream_environment(self) -> Any:
        if self.stream_environment is None:
            configuration = java("configuration.Configuration")()
            for key, value in self._program["options"].items():
                configuration.setString(key, value)
            package = "streaming.api.environment.StreamExecutionEnvironment"
            self.stream_environment = java(package).getExecutionEnvironment(configuration)
        return self.stream_environment

    def _stream(self, place: int) -> Any:
        """A stand-in of a stream of the program: a source of its type that emits nothing."""
        if place not in self._streams:
            stream = self._program["streams"][place]
            if stream["type"] is None:
                raise NotReplayedError(stream["why"])
            watermarks = java("api.common.eventtime.WatermarkStrategy").noWatermarks()
            idle = idle_source(self._program["idle_folder"])
            elements = self._type_of(stream["type"])
            made = self._stream_environment().fromSource(idle, watermarks, f"stream {place}", elements)
            made.setParallelism(stream["parallelism"])
            self._streams[place] = made
            self.stream_numbers[int(made.getTransformation().getId())] = place
        return self._streams[place]

    def _type_of(self, record: Json) -> Any:
        """Type information of a stream's elements."""
        types = java("api.common.typeinfo.Types")
        kind = record["kind"]
        if kind == "basic":
            return getattr(types, record["name"])
        if kind == "own":
            failure = self._functions.failure(record["name"])
            if failure is not None:
                raise NotReplayedError(failure)
            return java("api.common.typeinfo.TypeInformation").of(self._functions.load(record["name"]).class_)
        inner = [self._type_of(inner_type) for inner_type in record["of"]]
        if kind == "row":
            names = record["names"]
            return types.ROW_NAMED(names, *inner) if names else types.ROW(*inner)
        makers = {"tuple": types.TUPLE, "list": types.LIST, "map": types.MAP, "array": types.OBJECT_ARRAY}
        return makers[kind](*inner)

    def graph(self) -> Any:
        """The stream graph of all that was added to the stream environment, None where it is empty."""
        if not self.results and not self.ranges:
            return None
        for place, number in self.results.items():
            self._results[place].sinkTo(stateless_sink()).name(f"result {number}")
        try:
            return self.stream_environment.getStreamGraph(False)
        except TypeError:  # until 1.13
            return self.stream_environment.getStreamGraph("", False)


def _key_of(option: Any) -> str:
    """The key of an option that is set by a text or an option's object; of anything else one that may be set."""
    import jpype

    if isinstance(option, str | jpype.JString):
        return str(option)
    return str(option.key()) if hasattr(option, "key") else "table."


def _idle(record: Json) -> bool:
    """Whether a call sets an option that changes no plan."""
    given = record["arguments"]
    option = record["call"].startswith("set") and len(given) > 1 and given[0]["kind"] == "literal"
    return option and not may_plan(str(given[0]["value"]))


def _catalog(kind: str, arguments: Sequence[Json]) -> _CatalogObject:
    """A catalog by the arguments of its constructor: its name and its default database come first."""
    texts = [given for given in arguments if given["kind"] == "unknown" or given.get("java") in ("String", "null")]
    database = texts[1].get("value") if len(texts) > 1 and texts[1]["kind"] == "literal" else None
    return _CatalogObject(kind, database)


def _message(error: Exception) -> str:
    import jpype

    if isinstance(error, jpype.JException):
        messages = [str(cause.getMessage()) for cause in causes(error) if cause.getMessage() is not None]
        return messages[-1] if messages else str(error)
    return str(error)
