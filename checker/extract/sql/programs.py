"""The Table API inside of programs: which calls of it both language readers record, and what each is for.

In: calls with arguments that are known, in part or not at all. Out: ``TableProgram`` records, and the same as the
planner's process takes them. Called by the Java and the PyFlink reader and by ``workflows.planning_programs``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from checker.extract.sql.scripts.commands import TABLE_AS, CreateFunction, commands
from checker.model.declared_state import ClassShape, Serialization
from checker.model.nested import Json, split_list
from checker.model.table_programs import (
    Argument,
    ClassName,
    HandedStream,
    Literal,
    Options,
    OwnObject,
    ResultOf,
    Several,
    StreamInput,
    TableProgram,
    TableStep,
    Template,
)
from checker.model.unknowns import Maybe, Unknown

RECORDED: Final = ("org.apache.flink.table.",)
"""Packages whose calls are all recorded."""
AS_ARGUMENTS: Final = (
    "java.time.", "java.math.BigDecimal", "org.apache.flink.types.Row", "org.apache.flink.api.common.typeinfo.",
    "org.apache.flink.configuration.", "org.apache.flink.api.common.RuntimeExecutionMode",
    "org.apache.flink.streaming.api.CheckpointingMode", "org.apache.flink.streaming.api.environment.Execution",
    "org.apache.flink.connector.datagen.table.", "org.apache.flink.connector.jdbc.catalog.",
)  # fmt: skip
"""Packages whose objects are recorded where they are handed to the Table API."""
ENVIRONMENTS: Final = frozenset({"StreamTableEnvironment", "TableEnvironment"})
MAKES_STREAMS: Final = frozenset(
    {"toDataStream", "toAppendStream", "toRetractStream", "toChangelogStream", "attachAsDataStream"}
)
BUFFERS: Final = "sqlUpdate"
"""Adds what a statement writes to the next job (until 1.13)."""
SHOWS: Final = frozenset(
    {"print", "collect", "await", "getJobClient", "printSchema", "printExplain", "explain", "explainSql", "writeToFile",
     "listTables", "listViews", "listFunctions", "listCatalogs", "listDatabases", "listModules", "toString",
     "getResolvedSchema", "getSchema", "hashCode", "equals", "isPresent"}
)  # fmt: skip
"""Calls that show something and change nothing, of objects that are not expressions."""
RESULTS: Final = {
    "sqlQuery": "Table", "from": "Table", "scan": "Table", "fromDataStream": "Table", "fromChangelogStream": "Table",
    "fromValues": "Table", "createStatementSet": "StatementSet", "executeSql": "TableResult",
    "getConfig": "TableConfig",
    "executeInsert": "TableResult", "insertInto": "TablePipeline", "loadPlan": "CompiledPlan",
    "compilePlanSql": "CompiledPlan", "fromTableSource": "Table",
}  # fmt: skip
"""Method → the class of what it gives."""
_SUBMITTING = frozenset({"executeInsert", "executePlan"})
_MAKERS = re.compile(r"create|createStatementSet|add\w*|attachAsDataStream")
"""What gives a table environment or a statement set itself."""
_WITHOUT_JOB = re.compile(
    r"(?:add|attachAs|compile|connect|create|describe|drop|explain|from|get|list|load|register|scan|set|sqlQuery"
    r"|sqlUpdate|to[A-Z]|unload|use)\w*"
)
"""Methods of these two that submit nothing."""
_WORDS = "INSERT|EXECUTE|SELECT|WITH|VALUES|COMPILE"
_SUBMITS = re.compile(
    rf"\s*+(?:--[^\n]*+\n\s*+|/\*(?:[^*]|\*(?!/))*+\*/\s*+)*+(?:{_WORDS})\b", re.IGNORECASE | re.DOTALL
)
_PLAN_ONLY = re.compile(r"\s*compile\s+plan\b", re.IGNORECASE)


def submits(statement: str) -> bool:
    """Whether ``executeSql`` of a statement submits a job."""
    if _PLAN_ONLY.match(statement):
        return False
    return _SUBMITS.match(statement) is not None or TABLE_AS.match(statement.lstrip()) is not None


def is_job(owner: str, maker: str | None, call: str, arguments: Sequence[Argument]) -> bool:
    """Whether a call submits a job. ``owner`` is the simple class of its receiver, ``maker`` the call that gave it.

    A method of a table environment or a statement set that is not known may submit one.
    """
    if call in _SUBMITTING:
        return True
    if call == "executeSql":
        return not arguments or submitting(arguments[0])
    if call == "execute":
        return owner not in ("TableResult", *ENVIRONMENTS)
    whole = owner in (*ENVIRONMENTS, "StatementSet", "StreamStatementSet")
    return whole and maker is not None and bool(_MAKERS.fullmatch(maker)) and not _WITHOUT_JOB.fullmatch(call)


def submitting(statement: Argument) -> bool:
    """Whether a statement submits a job, as far as its beginning is known; one that is not known may."""
    if isinstance(statement, Literal):
        return isinstance(statement.value, str) and submits(statement.value)
    first = statement.parts[0] if isinstance(statement, Template) else None
    return not isinstance(first, str) or not first.strip() or submits(first)


UNKNOWN_PART = "unknown-"
"""How the words begin that stand for unknown parts."""
_FORMAT = re.compile(r"((key|value)\.)?format")
RESULT = re.compile("\0(\\d+)\0")
"""What stands for a text that an earlier call gives, by its step."""
_KEY = re.compile(r"'((?:[^']|''){0,200}+)'\s*+=\s*+'(?:[^']|''){0,20000}+$")
_DECIDES = re.compile(
    r"connector(\.type)?|.*parallelism|type|property-version|lookup\..*|sink\.(delivery-guarantee|semantic|"
    r"transactional.*|upsert.*|buffer-flush.*|partition-commit.*)|auto-compaction|changelog.*|scan\.(bounded.*|incremental.*)|"
    r"streaming-source.*|number-of-rows|.*changelog.*|write\.upsert.*|merge-engine"
)


def filled(template: Template) -> str | Unknown:
    """The text with a word in the place of each part that is not known; the first of these parts where none may be."""
    text = ""
    for number, part in enumerate(template.parts):
        if isinstance(part, str):
            text += part
            continue
        if isinstance(part, ResultOf):
            text += f"\0{part.step}\0"
            continue
        key = _KEY.search(text)
        source = part.derived_from
        nameless = source is None and key is not None and _FORMAT.fullmatch(key[1])
        if key is None or _DECIDES.fullmatch(key[1]) or nameless or text.count("'") % 2 == 0:  # outside of quotes
            return part
        text += f"{UNKNOWN_PART}{number if source is None else sha256(source.encode()).hexdigest()[:32]}"
    return text


def filled_option(key: str, value: Template | Unknown) -> str | Unknown:
    """The value of a connector's option that a program sets by its key, as ``filled`` has it."""
    before = f"'{key}' = '"
    text = filled(Template((before, *(value.parts if isinstance(value, Template) else (value,)))))
    return text.removeprefix(before) if isinstance(text, str) else text


_BASIC = {
    "String": "STRING", "Boolean": "BOOLEAN", "Byte": "BYTE", "Short": "SHORT", "Integer": "INT", "Long": "LONG",
    "Float": "FLOAT", "Double": "DOUBLE", "Character": "CHAR", "BigDecimal": "BIG_DEC", "BigInteger": "BIG_INT",
    "Instant": "INSTANT", "LocalDate": "LOCAL_DATE", "LocalTime": "LOCAL_TIME", "LocalDateTime": "LOCAL_DATE_TIME",
    "Timestamp": "SQL_TIMESTAMP",
}  # fmt: skip
"""Class → the constant of ``Types``."""
_COMPOSITE = {"List": "list", "Map": "map", "Array": "array"}
_NAMED = re.compile(r"(\w+):")
"""The name of a row's field before its type."""


def type_record(stream: HandedStream) -> Json:
    """The type of a stream, or why it is not known."""
    if not isinstance(stream.type, str):
        why = stream.type.reason if isinstance(stream.type, Unknown) else "cannot tell the type of a stream's elements"
        return {"type": None, "why": why}
    by_program = next((kind.name for kind in stream.classes if _typed_by_program(kind)), None)
    if by_program is not None:
        name = by_program.rpartition(".")[2].replace("$", ".")
        return {"type": None, "why": f"code of the program says the type of {name} (@TypeInfo), and is not run"}
    found = _type(stream.type, stream.classes)
    if found is not None and stream.names and found["kind"] == "row" and len(stream.names) == len(found["of"]):
        found = {**found, "names": list(stream.names)}
    return {"type": found, "why": f"a stream of {stream.type} is not handed to the planner"}


def _type(text: str, classes: tuple[ClassShape, ...]) -> Json | None:
    if text in _BASIC:
        return {"kind": "basic", "name": _BASIC[text]}
    name, opened, rest = text.partition("<")
    if not opened:
        return _own(text, classes)
    parts = split_list(rest.removesuffix(">"))
    named = [_NAMED.match(part) for part in parts] if name == "Row" else []
    names = [found[1] for found in named if found is not None]
    inner = [_type(_NAMED.sub("", part, count=1) if names else part, classes) for part in parts]
    if None in inner:
        return None
    if name == f"Tuple{len(inner)}":
        return {"kind": "tuple", "of": inner}
    if name == "Row":
        return {"kind": "row", "names": names if len(names) == len(parts) else [], "of": inner}
    return {"kind": _COMPOSITE[name], "of": inner} if name in _COMPOSITE else None


def _typed_by_program(shape: ClassShape) -> bool:
    """Whether a ``TypeInfoFactory`` of the program decides on the type of a class or of one of its fields."""
    return shape.serialization is Serialization.OWN or any(field.code is not None for field in shape.fields)


def _own(text: str, classes: tuple[ClassShape, ...]) -> Json | None:
    """A class of the program, known by the last part of its name."""
    named = [
        class_.name
        for class_ in classes
        if class_.name == text or class_.name.endswith(tuple(f"{s}{text}" for s in "$."))
    ]
    return {"kind": "own", "name": named[0]} if len(named) == 1 else None


FIRST_MARK = 7001
"""Parallelism that stands for one that is not known, in the plan of a program: one of these for each."""


@dataclass(frozen=True, slots=True)
class ProgramRecord:
    """A program for the planner. ``marks`` say what a parallelism of the plan stands for."""

    record: Json
    marks: Mapping[int, Maybe[int] | None]


@dataclass(slots=True)
class _Marks:
    """Numbers for parallelism that is not known."""

    default: int
    known: dict[int, Maybe[int] | None] = field(default_factory=dict)

    def of(self, parallelism: Maybe[int] | None) -> int:
        if parallelism is None:
            return self.default
        if isinstance(parallelism, int) and parallelism != self.default:
            return parallelism
        number = FIRST_MARK + len(self.known)
        self.known[number] = parallelism
        return number


def program_record(
    program: TableProgram, parallelism_of: Mapping[str, Maybe[int] | None], default: int
) -> ProgramRecord:
    """The record of a program. ``parallelism_of`` is that of each transformation that is handed to a table."""
    marks = _Marks(default)
    record = {
        "steps": [
            {"on": step.on, "call": step.call, "arguments": [_argument(argument) for argument in _given(step)]}
            for step in program.steps
        ],
        "streams": [
            {**type_record(stream), "parallelism": marks.of(parallelism_of.get(stream.handle or ""))}
            for stream in program.streams
        ],
        "holes": [{"step": hole.step, "parallelism": marks.of(hole.parallelism)} for hole in program.holes],
    }
    return ProgramRecord(record, marks.known)


def _given(step: TableStep) -> Sequence[Argument]:
    """The arguments of a call; those of ``option(key, value)`` as far as they decide."""
    if step.call != "option" or len(step.arguments) != 2:
        return step.arguments
    key, value = step.arguments
    if not isinstance(key, Literal) or not isinstance(key.value, str) or not isinstance(value, Template | Unknown):
        return step.arguments
    text = filled_option(key.value, value)
    return (key, text if isinstance(text, Unknown) else Literal(text, "String"))


def _argument(argument: Argument) -> Json:
    match argument:
        case Literal():
            return {"kind": "literal", "value": argument.value, "java": argument.java}
        case Template():
            text = filled(argument)
            if isinstance(text, Unknown):
                return _unknown(text)
            if RESULT.search(text):
                return {"kind": "text", "value": RESULT.split(text)}
            return {"kind": "literal", "value": text, "java": "String"}
        case ResultOf():
            return {"kind": "result", "value": argument.step}
        case Several():
            return {"kind": "several", "value": [_argument(item) for item in argument.items]}
        case Options():
            return {"kind": "options", "value": [[key, _argument(value)] for key, value in argument.items]}
        case ClassName():
            return {"kind": "own" if argument.own else "class", "value": argument.name}
        case OwnObject():
            return {"kind": "own-object", "value": argument.class_name}
        case StreamInput():
            return {"kind": "stream", "value": argument.place}
        case Unknown():
            return _unknown(argument)
        case _:
            return {"kind": "stream-environment"}


def _unknown(unknown: Unknown) -> Json:
    return {"kind": "unknown", "value": unknown.reason}


def own_classes(program: TableProgram) -> tuple[str, ...]:
    """Classes of the program that the planner needs: functions, and values of streams."""
    found = [name for step in program.steps for argument in step.arguments for name in _named(argument)]
    found += [shape.name for stream in program.streams for shape in stream.classes]
    return tuple(dict.fromkeys(found))


def _named(argument: Argument) -> Iterator[str]:
    if isinstance(argument, ClassName) and argument.own:
        yield argument.name
    elif isinstance(argument, OwnObject):
        yield argument.class_name
    elif isinstance(argument, Several):
        for item in argument.items:
            yield from _named(item)
    elif isinstance(argument, Literal) and isinstance(argument.value, str):
        for command in commands(argument.value) if "unction" in argument.value.lower() else ():
            if isinstance(command, CreateFunction) and command.language.lower() != "python":
                yield command.class_name


def in_python(program: TableProgram) -> bool:
    """Whether a statement makes a function of a script's code."""
    texts = (a.value for step in program.steps for a in step.arguments if isinstance(a, Literal))
    found = (
        command for text in texts if isinstance(text, str) and "ython" in text.lower() for command in commands(text)
    )
    return any(isinstance(command, CreateFunction) and command.language == "python" for command in found)
