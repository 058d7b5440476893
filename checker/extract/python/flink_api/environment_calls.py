"""Calls on ``StreamExecutionEnvironment``: settings, sources and the execution of jobs.

Source: ``pyflink/datastream/stream_execution_environment.py`` of 1.20 and 2.3.
"""

from collections.abc import Callable
from dataclasses import replace

from checker.extract.connectors.tables import ConnectorFacts, hosts
from checker.extract.datastream import table
from checker.extract.datastream.records import Default, Draft, Parallelism
from checker.extract.datastream.table import ApiCall, words
from checker.extract.python.flink_api import operators
from checker.extract.python.flink_api.jobs import deployment_parallelism, submit
from checker.extract.python.flink_api.operators import addresses, connector, read_by
from checker.extract.python.flink_api.settings_calls import configure, set_job, text, unsupported
from checker.extract.python.flink_api.streams import (
    Configuration,
    Elements,
    Environment,
    EnvironmentPart,
    Stream,
    elements_of,
    produced,
)
from checker.extract.python.interpreter.descriptions import by_default, described
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Opaque, Value, unknown, why
from checker.model.flink_releases import api_of
from checker.model.topology import ChainingStrategy, Kind, constant_digest
from checker.model.unknowns import Cause, Unknown

WITHOUT_EFFECT = words("without_effect_in_pyflink")
"""Methods of an environment that no operator, id or state depends on."""
_HANDS_OUT = ("get_config", "get_checkpoint_config", "get_execution_plan")


_PASSED = ("parallelism.default", "pipeline.max-parallelism")
"""Options that a pipeline has beside its configuration: what the deployment passes."""


def make(run: Run, call: Call) -> Environment:
    """``get_execution_environment(configuration)``, on top of what the deployment configures."""
    environment = Environment()
    deployed = {key: value for key, value in run.entry.configuration if key not in _PASSED}
    configure(environment, Configuration(dict(deployed)), call.place)
    given = call.argument(0, "configuration")
    if isinstance(given, Configuration):
        configure(environment, given, call.place)
    elif given is not None:
        raise stopped("cannot tell the environment's configuration", Cause.OTHER, call.place)
    run.environments.append(environment)
    return environment


def environment_call(run: Run, env: Environment, call: Call) -> Value:
    """A method of an environment."""
    first = call.first
    if call.name in WITHOUT_EFFECT:
        return env
    row = table.lookup_python(table.ENVIRONMENT, call.name)
    if row is not None:
        return SOURCES[row.makes](run, env, call, row)
    if set_job(run, env, call):
        return env
    if call.name == "configure":
        if not isinstance(first, Configuration):
            raise stopped("cannot tell the environment's configuration", Cause.OTHER, call.place)
        configure(env, first, call.place)
    elif call.name in ("execute", "execute_async"):
        run.jobs.append(submit(run, env, call.place))
        return unknown("cannot tell the result of a job", Cause.NON_DETERMINISTIC, call.place, run.fresh("execute()"))
    elif call.name in ("get_parallelism", "get_max_parallelism"):
        setting = env.parallelism if call.name == "get_parallelism" else env.max_parallelism
        if isinstance(setting, Default):
            setting = deployment_parallelism(run)
        if isinstance(setting, int):
            return setting
        reason = setting or Unknown("a maximum parallelism that is not set", Cause.OTHER, None, call.place)
        return Opaque(replace(reason, derived_from=None), derived_from=reason.derived_from or "")
    elif call.name in _HANDS_OUT:
        return EnvironmentPart(env, call.name)
    elif call.name.startswith(("get_", "is_")):
        return unknown(f"cannot tell the result of {call.name}", Cause.OTHER, call.place)
    else:
        return unsupported(call)
    return env


def configuration_call(run: Run, owner: Configuration, call: Call) -> Value:
    """A method of a Configuration. Raises StoppedError for a key that is not known."""
    key = call.argument(0, "key")
    if call.name.startswith("set"):
        if not isinstance(key, str):
            reason = why(key, "it is not a text").reason
            raise stopped(f"an unknown configuration key ({reason})", Cause.OTHER, call.place)
        owner.keys[key] = call.argument(1, "value")
        return owner
    if call.name == "get_configuration":  # of a TableConfig
        return owner
    if call.name in ("add_all", "addAll", "add_configuration", "remove_config"):
        raise stopped(f"the call .{call.name}() of a configuration is not followed", Cause.OTHER, call.place)
    if call.name.startswith("get_") and isinstance(key, str) and key in owner.keys:
        return owner.keys[key]
    return unknown(f"cannot tell the result of {call.name} of a configuration", Cause.OTHER, call.place)


def part_call(run: Run, part: EnvironmentPart, call: Call) -> Value:
    """A method of an ExecutionConfig or CheckpointConfig; few concern the topology."""
    if call.name in ("set_parallelism", "set_max_parallelism") and part.name == "get_config":
        set_job(run, part.env, call)
    elif call.name in ("disable_auto_generated_uids", "enable_auto_generated_uids"):
        raise stopped(f"the script calls {call.name}, which is not followed", Cause.UNSUPPORTED, call.place)
    elif call.name.startswith("get_"):
        return unknown(f"cannot tell the result of {call.name}", Cause.OTHER, call.place)
    return part


def _connector(run: Run, step: Draft, source: Value, facts: ConnectorFacts | None) -> None:
    """What is known of it, and what it reads. A name that an argument or variable gives is that of the default."""
    if facts is None:
        return
    operators.of_connector(step, facts)
    if isinstance(step.state, Unknown):
        step.state = replace(step.state, derived_from=described(run, source) or None)
    servers = [by_default(value) for value in addresses(source, facts)]
    step.reads_at = hosts([server if isinstance(server, str) else None for server in servers])
    given = read_by(source, facts)
    names = [by_default(value) for value in given]
    known = tuple(name for name in names if isinstance(name, str))
    if len(known) == len(names):
        step.reads = known
        return
    expressions = tuple(described(run, value) for value in given)
    step.reads_by = expressions if all(expressions) else ()


def _produced(run: Run, source: Value, type_info: Value) -> Elements:
    found = produced(source, type_info)
    made = described(run, source, type_info) or None
    if isinstance(found.textual, Unknown):
        found = replace(found, textual=replace(found.textual, derived_from=made))
    return replace(found, type=replace(found.type, derived_from=made)) if isinstance(found.type, Unknown) else found


def _from_source(run: Run, env: Environment, call: Call, row: ApiCall) -> Stream:
    source = call.argument(0, "source")
    named = text(run, call.argument(2, "source_name"), "the name", call.place)
    stream = operators.source(env, Kind.SOURCE, named, env.parallelism, call.place)
    _connector(run, stream.step, source, connector(source, run.entry.flink))
    env.source_descriptions.append(described(run, source))
    stream.elements = _produced(run, source, call.argument(3, "type_info"))
    return stream


def _from_collection(run: Run, env: Environment, call: Call, row: ApiCall) -> Stream:
    stream = operators.source(env, Kind.LEGACY_SOURCE, row.python, 1, call.place)
    stream.step.max_parallelism, stream.step.non_parallel = 1, True
    stream.step.function_values = (constant_digest("", described(run, call.argument(0, "collection"))),)
    stream.elements = elements_of(call.argument(1, "type_info"))
    return stream


def _add_source(run: Run, env: Environment, call: Call, row: ApiCall) -> Stream:
    function = call.argument(0, "source_func")
    given = call.argument(1, "source_name", row.python)
    facts = connector(function, run.entry.flink)
    runs_as: Parallelism = env.parallelism
    if facts is None or facts.parallel is None:
        runs_as = Unknown(
            "cannot tell whether the source function is parallel", Cause.CONNECTOR, None, call.place,
            derived_from=described(run, function) or None,
        )  # fmt: skip
    elif not facts.parallel:
        runs_as = 1
    stream = operators.source(env, Kind.LEGACY_SOURCE, text(run, given, "the name", call.place), runs_as, call.place)
    stream.step.non_parallel = facts is not None and facts.parallel is False
    _connector(run, stream.step, function, facts)
    env.source_descriptions.append(described(run, function))
    stream.step.unbounded = True
    stream.elements = _produced(run, function, call.argument(2, "type_info"))
    return stream


def _read_text_file(run: Run, env: Environment, call: Call, row: ApiCall) -> Value:
    """``readTextFile``: a monitor that is not parallel, and the reader behind it. Who calls it, has a Flink 1.x."""
    if run.entry.flink is not None and not api_of(run.entry.flink).reads_text_files:
        return unsupported(call)
    monitor = operators.source(env, Kind.LEGACY_SOURCE, row.python, 1, call.place)
    monitor.step.operator, monitor.step.max_parallelism, monitor.step.non_parallel = "file-monitor", 1, True
    reader = operators.java_step(monitor, f"Split Reader: {row.python}", "file-reader", call.place, env.parallelism)
    reader.chaining = ChainingStrategy.HEAD
    return Stream(env, reader, Elements(False, "String"))


SOURCES: dict[str, Callable[[Run, Environment, Call, ApiCall], Value]] = {
    "source": _from_source, "source-function": _add_source, "legacy-source": _from_collection,
    "files": _read_text_file,
}  # fmt: skip
"""What a row of the table makes → who makes it."""
