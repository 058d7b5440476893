"""One script, or one program's calls, in a table environment of its own.

Its catalog is in memory, and its tables find their connector with us, whatever their ``'connector'`` says:
``FactoryUtil`` asks the catalog of a table for its factory before it looks for one on the class path.
"""

import json
import re
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from checker.extract.runtime.capture.jvm import java, private
from checker.extract.runtime.capture.jvm import thrown as thrown_by
from checker.extract.sql.planner.allowed import check_definition, check_plan, check_text
from checker.extract.sql.planner.cluster import NEVER
from checker.extract.sql.planner.functions import Functions, called
from checker.extract.sql.planner.jvm import NotReplayedError, reset_node_ids
from checker.extract.sql.planner.replaying import Replay
from checker.extract.sql.planner.tables import Tables
from checker.extract.sql.scripts.commands import commands
from checker.extract.sql.scripts.reading import record as record_of
from checker.model.nested import Json
from checker.model.table_programs import may_be_set

DATABASE = "default"


_OF_DATABASES = ("databaseExists", "getDatabase", "listTables", "listViews")


def stand_in_catalog(name: str, database: str, factory: Any, *, external: bool = False) -> Any:
    """An empty catalog; every table in it is made by ``factory``.

    An ``external`` one has every database that is asked for: a script does not say which ones it really has.
    """
    import jpype

    memory = java("table.catalog.GenericInMemoryCatalog")(name, database)
    optional = java("java.util.Optional").of(factory)

    def invoke(_proxy: Any, method: Any, arguments: Any) -> Any:
        called = str(method.getName())
        asked = _database(called, arguments) if external else None
        if asked is not None and not memory.databaseExists(asked):
            memory.createDatabase(
                asked, java("table.catalog.CatalogDatabaseImpl")(java("java.util.HashMap")(), ""), True
            )
        if called == "createDatabase" and external:
            return memory.createDatabase(arguments[0], arguments[1], True)
        if called == "getFactory":
            return optional
        if called == "supportsManagedTable":  # a table without a connector is its catalog's own
            return False
        if called in ("getTableFactory", "getFunctionDefinitionFactory"):
            return java("java.util.Optional").empty()
        try:
            return method.invoke(memory, arguments)
        except jpype.JException as error:
            raise error.getCause() or error from None

    handler = jpype.JProxy("java.lang.reflect.InvocationHandler", dict={"invoke": invoke})
    catalog = java("table.catalog.Catalog").class_
    interfaces = jpype.JArray(java("java.lang.Class"))([catalog])
    return java("java.lang.reflect.Proxy").newProxyInstance(catalog.getClassLoader(), interfaces, handler)


def _database(called: str, arguments: Any) -> str | None:
    """The database that a call of a catalog is about."""
    if not arguments:
        return None
    if called in _OF_DATABASES:
        return str(arguments[0])
    path = arguments[0]
    return str(path.getDatabaseName()) if isinstance(path, java("table.catalog.ObjectPath")) else None


_OPTIONS = {
    "execution.target": "local",
    "execution.attached": "true",
    "execution.runtime-mode": "STREAMING",
    "parallelism.default": "1",
    "execution.checkpointing.interval": f"{NEVER} ms",  # from 2.0 on graphs are made with what it decides
    "table.optimizer.adaptive-broadcast-join.strategy": "NONE",  # of batch jobs: these operators show no class
    "table.optimizer.skewed-join-optimization.strategy": "NONE",
    "pipeline.closure-cleaner-level": "NONE",  # until 1.18 it opens fields of stand-ins, which no JVM from 17 on allows
}


_UID_GENERATION, _UID_FORMAT, _COUNTED = "table.exec.uid.generation", "table.exec.uid.format", "<id>"
_MODE = "execution.runtime-mode"
_PLANNED_HERE = ("execute", "statement-set")
"""Kinds of statements that are planned in the session: a compiled plan brings its ids along."""

_COMPUTED = "the planner computes calls of {} by itself, because their arguments are constants: that runs the function"
_QUERY = re.compile(r"\s*(?:select|with|values|table|\()\b", re.IGNORECASE)


class Session:
    """One script in an environment of its own."""

    def __init__(
        self, request: Json, connectors: Json, submitted: list[Any], idle_folder: str, functions: Functions
    ) -> None:
        self._options = {**_OPTIONS, **request["options"]}
        self._functions = functions
        self._idle_folder = idle_folder
        self._submitted = submitted
        """Jobs that statements gave to Flink."""
        self._tables = Tables(connectors, idle_folder, functions)
        self._environment: Any = None
        self._batch = False
        """Whether a program asks for batch mode, whose jobs take no savepoints."""

    def run(self, statements: list[Json]) -> list[Json]:
        """The jobs of the statements in order, each with the statement that submits it, or why it can't be planned.

        Where a definition fails, so do all jobs behind it: they may need it.
        """
        self._begin()
        self._options.update(_mode_of_first_job(statements))
        self._tables.batch = self.batch
        jobs: list[Json] = []
        broken: list[Json] = []
        for number, statement in enumerate(statements):
            if broken:
                jobs += [{"statement": number, "thrown": broken}] if statement["job"] else []
                continue
            self._submitted.clear()
            thrown = _tried(self._execute, statement)
            computed = called()
            if computed and statement["job"]:
                thrown = [_message(_COMPUTED.format(", ".join(computed)))]
            if thrown:
                jobs.append({"statement": number, "thrown": thrown})
                broken = [] if statement["job"] else thrown
                continue
            counted = statement["kind"] in _PLANNED_HERE and self._uids_are_counted()
            jobs += [
                {"statement": number, "pipeline": pipeline, "counted_uids": counted} for pipeline in self._submitted
            ]
        return jobs

    def _begin(self) -> None:
        reset_node_ids()
        java("java.lang.Thread").currentThread().setContextClassLoader(self._functions.loader())
        called()

    def _uids_are_counted(self) -> bool:
        """Whether uids hold a number that counts what the JVM has planned before (``ExecNodeContext``).

        An application cluster plans one program in a JVM of its own, where it begins at 1 each time.
        """
        options = self._opened().getConfig().getConfiguration().toMap()
        generation = str(options.get(_UID_GENERATION) or "").upper()
        pattern = str(options.get(_UID_FORMAT) or _COUNTED)
        own_jvm = str(options.get("execution.target") or "").endswith("-application")
        return generation == "ALWAYS" and _COUNTED in pattern and not own_jvm

    def replay(self, calls: Json) -> list[Json]:
        """The jobs of a program: that which a hole submits, or that of its stream environment."""
        self._begin()
        jobs: list[Json] = []
        holes = {hole["step"]: hole["parallelism"] for hole in calls["holes"]}
        program = {**calls, "holes": holes, "options": self._options, "idle_folder": self._idle_folder}
        replay = Replay(program, self._create, self._run_text, self._functions, self._register)
        for number, step in enumerate(calls["steps"]):
            self._submitted.clear()
            thrown = _tried(replay.step, number, step)
            if number not in holes:
                continue
            before = replay.first_failure(number)
            if thrown and before is not None and not before.endswith(thrown[-1]["message"] or thrown[-1]["class"]):
                thrown.append(_message(f"{thrown[-1]['message'] or thrown[-1]['class']} (before that, {before})"))
            if computed := called():
                jobs.append({"statement": number, "thrown": [_message(_COMPUTED.format(", ".join(computed)))]})
                continue
            jobs += [{"statement": number, "pipeline": pipeline} for pipeline in self._submitted]
            if thrown:
                jobs.append({"statement": number, "thrown": thrown})
        if not any("pipeline" in job for job in jobs) and (graph := replay.graph()) is not None:
            jobs.append({"statement": max(holes), "pipeline": graph})
        parts = {"ranges": replay.ranges, "streams": replay.stream_numbers, "results": replay.results}
        return [{**job, "parts": parts} if "pipeline" in job else job for job in jobs]

    def _create(self, stream: Any, settings: Any) -> Any:
        """A table environment of the program, its default catalog and modules served by stand-ins."""
        configuration = java("configuration.Configuration")()
        given = java("configuration.Configuration")()
        if settings is not None:
            given = settings.getConfiguration() if hasattr(settings, "getConfiguration") else settings
            given = given.toConfiguration() if hasattr(given, "toConfiguration") else given  # settings until 1.13
        keys = {str(key) for key in given.toMap().keySet()}
        self._batch = str(given.toMap().get("execution.runtime-mode") or "").upper() == "BATCH"
        self._tables.batch = self._batch
        for key, value in self._options.items():
            if key not in keys or key in ("execution.target", "execution.attached"):
                configuration.setString(key, value)
        if stream is None:
            merged = java("configuration.Configuration")()
            for key, value in given.toMap().items():
                if may_be_set(str(key)):
                    merged.setString(key, value)
            merged.addAll(configuration)
            self._environment = _table_environment(merged)
        else:
            create = java("table.api.bridge.java.StreamTableEnvironment").create
            self._environment = create(stream) if settings is None else create(stream, settings)
        return self._served()

    def _run_text(self, text: str) -> Any:
        """``executeSql``: as a script's statement; queries as they are."""
        found = commands(text)
        for command in found:
            self._execute(record_of(command, {}))
        if not found and _QUERY.match(text):
            check_text(text)
            self._opened().executeSql(text)

    @property
    def batch(self) -> bool:
        """Whether its jobs run in batch mode: they keep nothing for another run."""
        return str(self._options[_MODE]).upper() == "BATCH"

    @property
    def time_zone(self) -> str | None:
        """The time zone of the session, None where nobody sets it."""
        found = self._opened().getConfig().getConfiguration().toMap().get("table.local-time-zone")
        return None if found is None else str(found)

    def tables(self) -> Json:
        """The options and columns that the script's tables have, and the connectors of which nothing is known."""
        tables = self._tables
        unknown = [astuple(table) for table in sorted(tables.unknown)]
        return {"tables": tables.used, "columns": tables.columns, "unknown": unknown, "batch": self._batch}

    def _execute(self, statement: Json) -> None:
        kind = statement["kind"]
        if kind == "set" and (statement["key"] == _MODE or not may_be_set(statement["key"])):
            return  # the mode is one of the environment as a whole: see _mode_of_first_job
        for text in statement.get("inserts", ()):
            check_text(text)
        if kind == "set" and self._environment is None:
            self._options[statement["key"]] = statement["value"]
        elif kind == "set":
            self._opened().getConfig().getConfiguration().setString(statement["key"], statement["value"])
        elif kind == "reset":
            self._reset(statement.get("key"))
        elif kind == "catalog":
            self._register(statement["name"], statement["options"])
        elif kind == "statement-set":
            together = self._opened().createStatementSet()
            for insert in statement["inserts"]:
                together.addInsertSql(insert)
            together.execute()
        elif kind == "compiled":
            self._compiled(statement["inserts"])
        elif kind == "plan":
            check_plan(statement["text"])
            self._register_catalogs_of(json.loads(statement["text"]))
            plans = java("table.api.PlanReference")
            self._opened().loadPlan(plans.fromJsonString(statement["text"])).execute()
        elif kind == "function":
            failure = self._functions.failure(statement["class"])
            if failure is not None:
                raise NotReplayedError(failure)
            self._opened().executeSql(statement["text"])
        elif kind == "execute":
            if not statement["job"]:
                check_definition(self._opened(), statement["text"])
            self._opened().executeSql(statement["text"])

    def _compiled(self, inserts: list[str]) -> None:
        """The job of a plan that is compiled from inserts: unlike theirs, its operators have uids."""
        if len(inserts) == 1:
            plan = self._opened().compilePlanSql(inserts[0])
        else:
            together = self._opened().createStatementSet()
            for insert in inserts:
                together.addInsertSql(insert)
            plan = together.compilePlan()
        plan.execute()

    def _reset(self, key: str | None) -> None:
        configuration = self._opened().getConfig().getConfiguration()
        option = java("configuration.ConfigOptions")
        keys = [key] if key else [str(k) for k in configuration.toMap().keySet() if str(k) not in _OPTIONS]
        for option_key in keys:
            configuration.removeConfig(option.key(option_key).stringType().noDefaultValue())

    def _opened(self) -> Any:
        if self._environment is None:
            configuration = java("configuration.Configuration")()
            for key, value in self._options.items():
                configuration.setString(key, value)
            self._environment = _table_environment(configuration)
            self._served()
        return self._environment

    def _served(self) -> Any:
        """The environment with our factory in its default catalog, which keeps its name, and in a module."""
        name = str(self._environment.getCurrentCatalog())
        database = str(self._environment.getCurrentDatabase())
        manager = self._environment.getCatalogManager()
        catalogs = private(manager, "catalogs")
        ours = stand_in_catalog(name, database, self._tables.factory())
        ours.open()
        catalogs.put(name, ours)
        self._environment.loadModule("stand-ins", self._tables.module())
        return self._environment

    def _register_catalogs_of(self, plan: Json) -> None:
        """Catalogs that only a compiled plan names; the plan contains the columns and options of their tables."""
        known = {str(name) for name in self._opened().listCatalogs()}
        for catalog in self._tables.take_plan(plan):
            if catalog not in known:
                known.add(catalog)
                self._register(catalog, {})

    def _register(self, name: str, options: Json) -> None:
        kind = options.get("type", "")
        if self._tables.catalog_types.get(name) == kind != "":
            return  # that of a script which left tables in it
        self._tables.catalog_types[name] = "" if kind == "generic_in_memory" else kind
        database = options.get("default-database", DATABASE)
        self._tables.catalog_options[name] = options
        external = bool(self._tables.catalog_types[name])
        catalog = stand_in_catalog(name, database, self._tables.factory(), external=external)
        self._opened().registerCatalog(name, catalog)


def _table_environment(configuration: Any) -> Any:
    """A table environment with options."""
    settings = java("table.api.EnvironmentSettings")
    create = java("table.api.TableEnvironment").create
    if hasattr(settings.newInstance(), "withConfiguration"):
        return create(settings.newInstance().withConfiguration(configuration).build())
    environment = create(settings.fromConfiguration(configuration))  # until 1.14
    environment.getConfig().addConfiguration(configuration)
    return environment


def _mode_of_first_job(statements: list[Json]) -> Json:
    """The runtime mode that holds where the first job is submitted: the SQL client may set it after definitions."""
    found: Json = {}
    for statement in statements:
        if statement["kind"] == "set" and statement["key"] == _MODE:
            found[_MODE] = statement["value"]
        if statement["job"]:
            break
    return found


def _tried(call: Callable[..., None], *arguments: Any) -> list[Json]:
    """What a statement or call throws: one that the stand-ins or the bridge to Java do not serve stops no other."""
    import jpype

    try:
        call(*arguments)
    except jpype.JException as error:
        return thrown_by(error)
    except Exception as error:  # behind the first line are the overloads that there are
        return [{"class": type(error).__name__, "message": str(error).partition("\n")[0]}]
    return []


def _message(text: str) -> Json:
    return {"class": "", "message": text}
