"""Calls of the Table API by what they do to a job, as Java names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from checker.extract.sql.scripts.commands import TABLE_AS
from checker.model.table_programs import Argument, Literal, Template

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
