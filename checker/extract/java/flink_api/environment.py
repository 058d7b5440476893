"""``StreamExecutionEnvironment``: where it comes from, its settings, its sources, its execution."""

from collections.abc import Callable
from typing import Any

from checker.extract.datastream.records import DEFAULT
from checker.extract.datastream.settings import OF_JOBS, RefusedError, Setting, Takes, set_on_job
from checker.extract.datastream.table import words
from checker.extract.java.flink_api import jobs, sources, unknowns
from checker.extract.java.flink_api.jobs import (
    apply_settings,
    backend_of,
    execute,
    mode_of,
    new,
    parallelism_value,
    refuse,
)
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import GLOBAL_PARAMETERS, EnvValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, ExternalObject, Settings, TypeName, Value, boolean
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import PROCESSORS, Cause, Unknown

_ENVIRONMENTS = frozenset({"StreamExecutionEnvironment", "LocalStreamEnvironment", "RemoteStreamEnvironment"})


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """Static methods of Flink's classes that make environments."""
    made = call.name.startswith("create") or call.name == "getExecutionEnvironment"
    if external.simple not in _ENVIRONMENTS or not made:
        return None
    env = new(run)
    env.local = call.name.startswith("createLocal")
    if env.local:
        env.parallelism = Unknown(
            f"{call.name}() takes the number of processors as default parallelism", Cause.ARGUMENT, "--parallelism",
            run.location(call.site), derived_from=PROCESSORS,
        ) if run.entry.default_parallelism is None else DEFAULT  # fmt: skip
    place = 0 if env.local else 2  # createRemoteEnvironment(host, port, parallelism, jars...)
    parallelism = call.arguments[place] if len(call.arguments) > place else None
    for value in call.arguments:
        settled = run.settle(value)
        if isinstance(settled, Settings):
            apply_settings(run, env, settled)
        elif value is parallelism and isinstance(settled, Constant) and settled.java == "int":
            env.parallelism = jobs.maybe_int(settled)
    return env


Handler = Callable[[Run, EnvValue, Call], Value]


def call(run: Run, env: EnvValue, call: Call) -> Value:
    """A method of the environment (or of its ExecutionConfig and CheckpointConfig, which stand for it)."""
    setting = OF_JOBS.get(call.name)
    if setting is not None:
        return _set(run, env, setting, call)
    handler = _HANDLERS.get(call.name)
    if handler is not None:
        return handler(run, env, call)
    made = sources.call(run, env, call)
    if made is not None:
        return made
    if call.name in _NOTHING or call.name.startswith(
        ("set", "enable", "disable", "register", "addDefault", "get", "is", "has")
    ):
        return (
            env
            if call.name.startswith(("set", "enable", "disable"))
            else run.opaque(f"{call.name}() of the environment is not evaluated", Cause.UNSUPPORTED, call.site)
        )
    unknown = run.unknown(f"unknown call {call.name}() of the environment", Cause.UNSUPPORTED, call.site)
    return unknowns.escaped(run, unknown, call.having(arguments=[env, *call.arguments]))


_NOTHING = words("methods_of_environments")


def _set(run: Run, env: EnvValue, setting: Setting, call: Call) -> Value:
    read = setting.value
    if setting.takes is not Takes.NOTHING and call.arguments:
        given = call.arguments[0]
        read = _READ[setting.takes](run.settle(given) if setting.takes is Takes.BACKEND else given)
    try:
        set_on_job(run.memory.assign, env, setting.of, read)
    except RefusedError as refused:
        refuse(str(refused))
    return env


_READ: dict[Takes, Callable[[Value], Any]] = {
    Takes.NUMBER: jobs.maybe_int, Takes.MODE: mode_of, Takes.BACKEND: backend_of,
}  # fmt: skip


def _get_max_parallelism(run: Run, env: EnvValue, call: Call) -> Value:
    maximum = env.max_parallelism if env.max_parallelism is not None else run.entry.max_parallelism
    return parallelism_value(run, -1 if maximum is None else maximum, call.site)


def _time(run: Run, env: EnvValue, call: Call) -> Value:
    value = call.arguments[0] if call.arguments else NULL
    name = value.calls[-1][0] if isinstance(value, ExternalObject) and value.calls else ""
    if isinstance(value, TypeName) and isinstance(value.type, External):  # written like a nested class
        name = value.type.simple
    run.memory.assign(env, "processing_time", name == "ProcessingTime")
    return env


def _set_global_parameters(run: Run, env: EnvValue, call: Call) -> Value:
    run.memory.put(run.statics, GLOBAL_PARAMETERS, call.arguments[0] if call.arguments else NULL)
    return env


def _configure(run: Run, env: EnvValue, call: Call) -> Value:
    value = run.settle(call.arguments[0]) if call.arguments else NULL
    if isinstance(value, Settings):
        apply_settings(run, env, value)
    return env


def _execute(run: Run, env: EnvValue, call: Call) -> Value:
    execute(run, env, call.site)
    return ExternalObject(External(("org.apache.flink.api.common.JobExecutionResult",)))


def _graph(run: Run, env: EnvValue, call: Call) -> Value:
    if not (call.arguments and isinstance(call.arguments[-1], Constant) and call.arguments[-1].value is False):
        execute(run, env, call.site)
    return ExternalObject(External(("org.apache.flink.streaming.api.graph.StreamGraph",)))


_SELVES = ("getConfig", "getCheckpointConfig", "getJavaEnv", "enableCheckpointing")
"""Methods that give what stands for the environment here, or itself."""
_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_SELVES, lambda run, env, call: env),
    "getParallelism": lambda run, env, call: parallelism_value(run, env.parallelism, call.site),
    "getMaxParallelism": _get_max_parallelism,
    "setGlobalJobParameters": _set_global_parameters,
    "isChainingEnabled": lambda run, env, call: boolean(env.chaining is not False),
    "setStreamTimeCharacteristic": _time,
    "configure": _configure,
    "getConfiguration": lambda run, env, call: Settings({}, False, "the environment's configuration"),
    "execute": _execute,
    "executeAsync": _execute,
    "getStreamGraph": _graph,
    "generateStreamGraph": _graph,
    "getExecutionPlan": lambda run, env, call: run.opaque("an execution plan", Cause.UNSUPPORTED, call.site),
}
