"""The Table API beside streams: its planner decides on operators, so what comes out of it is a hole with its reason."""

from __future__ import annotations

import re

from checker.extract.python.flink_api import operators
from checker.extract.python.flink_api.configuration import FIELDS, MODE, REFUSED
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.jobs import table_job
from checker.extract.python.flink_api.settings_calls import unsupported
from checker.extract.python.flink_api.streams import Environment, Stream, Table, TableEnvironment
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.interpreter.values import Arguments, Opaque, Value, unknown
from checker.model.topology import Cause, Location, Unknown

_TO_STREAM = frozenset({"to_data_stream", "to_append_stream", "to_retract_stream", "to_changelog_stream"})
_FROM_STREAM = frozenset({"from_data_stream", "from_changelog_stream", "create_temporary_view", "from_descriptor"})
_WORDS = "CREATE|DROP|ALTER|USE|SET|RESET|SHOW|DESCRIBE|DESC|EXPLAIN|LOAD|UNLOAD|ADD|REMOVE|ANALYZE"
_DECLARES = re.compile(rf"\s*(--[^\n]*\n\s*|/\*.*?\*/\s*)*({_WORDS})\b", re.IGNORECASE | re.DOTALL)
"""Statements that submit nothing."""
_SUBMITS = re.compile(r"\bAS\s+SELECT\b", re.IGNORECASE)
_RUNS = frozenset({"execute", "execute_insert", "to_pandas", "insert_into"})
WHY = "the Table API plans its operators when the program runs"


def make(arguments: Arguments, at: Location) -> TableEnvironment:
    """``StreamTableEnvironment.create(env)``, ``TableEnvironment.create(settings)``."""
    first = arguments.get(0, "stream_execution_environment")
    if isinstance(first, Opaque):
        why = f"the environment below a table environment is not known: {first.unknown.reason}"
        raise StoppedError(Unknown(why, Cause.OTHER, None, at))
    return TableEnvironment(first if isinstance(first, Environment) else None)


def environment_call(run: Run, owner: TableEnvironment, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a table environment."""
    if name in _TO_STREAM:
        env = owner.env
        if env is None:
            return unsupported(name, at)
        unknown_part = Unknown(WHY, Cause.UNSUPPORTED, 'extract = "flink"', at)
        return Stream(
            env, operators.unseen(env, list(owner.streams), unknown_part, at), Elements(unknown_part, unknown_part)
        )
    for one in arguments.all():
        if isinstance(one, Stream):
            owner.streams.append(one.step)
    if name == "execute_sql":
        statement = arguments.get(0, "stmt")
        if not isinstance(statement, str) or not _DECLARES.match(statement) or _SUBMITS.search(statement):
            run.jobs.append(table_job(at))
        return unknown("the result of a statement", Cause.EXTERNAL, at, run.fresh("execute_sql()"))
    if name == "get_config":
        return Table(owner)
    if name in ("execute", "sql_update"):
        run.jobs.append(table_job(at))
        return unknown("the result of a job", Cause.EXTERNAL, at)
    return Table(owner)


def table_call(run: Run, owner: Table, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a table, a statement set or a configuration of tables."""
    key = arguments.get(0, "key")
    if name.startswith("set"):
        decides = isinstance(key, str) and (key in FIELDS or key in REFUSED or key == MODE)
        if decides and owner.of.env is not None:
            raise StoppedError(Unknown(f"the configuration of tables sets {key}", Cause.UNSUPPORTED, None, at))
    if name in _RUNS:
        run.jobs.append(table_job(at))
        return unknown("the result of a job", Cause.EXTERNAL, at, run.fresh(f"{name}()"))
    if name == "attach_as_datastream" and owner.of.env is not None:
        operators.unseen(
            owner.of.env, list(owner.of.streams), Unknown(WHY, Cause.UNSUPPORTED, 'extract = "flink"', at), at
        )
    return owner
