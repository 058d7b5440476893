"""Calls of the Table API by what they do to a job, as Java names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from checker.extract.sql.scripts.commands import TABLE_AS
from checker.model.table_programs import Argument, Literal, ResultOf, Template
from checker.model.unknowns import Unknown

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
    r"transactional.*|upsert.*|buffer-flush.*|partition-commit.*)|auto-compaction|changelog.*|scan\.(bounded.*|incremental.*|"
    r"startup.*)|streaming-source.*|number-of-rows|.*changelog.*|write\.upsert.*|merge-engine"
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
        text += f"{UNKNOWN_PART}{number if source is None else sha256(source.encode()).hexdigest()[:12]}"
    return text


def filled_option(key: str, value: Template | Unknown) -> str | Unknown:
    """The value of a connector's option that a program sets by its key, as ``filled`` has it."""
    before = f"'{key}' = '"
    text = filled(Template((before, *(value.parts if isinstance(value, Template) else (value,)))))
    return text.removeprefix(before) if isinstance(text, str) else text
