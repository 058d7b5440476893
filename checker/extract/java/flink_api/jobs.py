"""Jobs of a program: its environments and what is set on them, what one ``execute()`` takes, what Flink refuses."""

from __future__ import annotations

from checker.extract.datastream.records import Draft, Job
from checker.extract.java.flink_api import drafts
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.flink_values import EnvValue
from checker.extract.java.machine.signals import ThrowSignal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Opaque, Settings, Value, integer, unknown_of
from checker.extract.java.syntax.class_index import External
from checker.model.deployments import STATE_BACKEND, backend_named
from checker.model.topology import Mode
from checker.model.unknowns import Cause, Maybe, Unknown


def default(run: Run) -> EnvValue:
    """The environment of a program that uses one whose creation was not seen."""
    return run.envs[-1] if run.envs else new(run)


def new(run: Run) -> EnvValue:
    """A fresh environment with what the deployment configures."""
    env = EnvValue()
    for key, value in run.entry.options:
        _apply(run, env, key, Constant(value, "String", frozenset({key})))
    run.limits.environments = True
    run.memory.assign(run.jobs, "envs", (*run.jobs.envs, env))
    return env


def refuse(message: str) -> Value:
    """Flink throws: the program declares nothing further."""
    unknown = Unknown(message, Cause.UNSUPPORTED)
    raise ThrowSignal(ExternalObject(External(("java.lang.IllegalArgumentException",)), unknown=unknown))


def apply_settings(run: Run, env: EnvValue, settings: Settings) -> None:
    """Take over the options that touch ids."""
    for key, value in settings.values.items():
        _apply(run, env, key, value)


def _flag(value: Value) -> Maybe[bool]:
    if isinstance(value, Constant):
        return str(value.value).lower() == "true"
    return drafts.unknown(value) if unknown_of(value) else Unknown("a setting that is not known", Cause.ARGUMENT)


def _number(value: Value) -> Maybe[int]:
    if isinstance(value, Constant) and value.value is not None:
        try:
            return int(str(value.value))
        except ValueError:
            return Unknown(f"'{value.value}' is not a number", Cause.UNSUPPORTED)
    return drafts.unknown(value) if unknown_of(value) else Unknown("a setting that is not known", Cause.ARGUMENT)


def _apply(run: Run, env: EnvValue, key: str, value: Value) -> None:
    if key == "parallelism.default":
        run.memory.assign(env, "parallelism", _number(value))
    elif key == "pipeline.max-parallelism":
        run.memory.assign(env, "max_parallelism", _number(value))
    elif key in run.api.chaining_options:
        run.memory.assign(env, "chaining", _flag(value))
    elif key == "pipeline.operator-chaining.chain-operators-with-different-max-parallelism":
        run.memory.assign(env, "chain_different_max_parallelism", _flag(value))
    elif key == "pipeline.auto-generate-uids":
        run.memory.assign(env, "auto_generate_uids", _flag(value))
    elif key == "pipeline.vertex-name-include-index-prefix":
        run.memory.assign(env, "vertex_index_prefix", _flag(value))
    elif key in STATE_BACKEND:
        run.memory.assign(env, "state_backend", backend_of(value))
    elif key == "execution.runtime-mode":
        run.memory.assign(env, "mode", mode_of(value))


def backend_of(value: Value) -> Maybe[str]:
    """The state backend that a name, a factory or an object stands for."""
    if isinstance(value, ExternalObject):
        return backend_named(value.type.simple)
    if isinstance(value, Constant):
        return backend_named(str(value.value))
    return unknown_of(value) or Unknown("a state backend that is not known", Cause.UNSUPPORTED)


_AUTOMATIC = Unknown("AUTOMATIC is batch when all sources are bounded", Cause.UNSUPPORTED)


def mode_of(value: Value) -> Maybe[Mode]:
    """The execution mode that a value names."""
    text: str | None = None
    if isinstance(value, Constant):
        text = str(value.value).upper()
    elif isinstance(value, ExternalObject) and value.calls:
        names = [name for name, _ in value.calls]
        text = "STREAMING" if names[-2:] == ["RUNTIME_MODE", "defaultValue"] else names[-1].upper()
    modes = {"BATCH": Mode.BATCH, "STREAMING": Mode.STREAMING}
    if text in modes:
        return modes[text]
    if text == "AUTOMATIC":
        return _AUTOMATIC
    return drafts.unknown(value) if unknown_of(value) else Unknown("a runtime mode that is not known", Cause.ARGUMENT)


def parallelism_value(run: Run, parallelism: object, site: Site) -> Value:
    """A parallelism as a value of the program."""
    if isinstance(parallelism, int):
        return integer(parallelism)
    if isinstance(parallelism, Unknown):
        return Opaque(parallelism, f"parallelism {parallelism.reason}")
    if run.entry.default_parallelism is not None:
        return integer(run.entry.default_parallelism)
    unknown = Unknown("the job's default parallelism is not known", Cause.ARGUMENT, "--parallelism", run.location(site))
    return Opaque(unknown, "default parallelism")


def execute(run: Run, env: EnvValue, site: Site) -> None:
    """One job: all that was declared since the last one."""
    submit(run, env, with_inputs(env.drafts), site)
    run.memory.assign(env, "drafts", ())


def submit(run: Run, env: EnvValue, drafts: tuple[Draft, ...], site: Site) -> None:
    """One job of these declarations; the environment keeps its own."""
    location = run.location(site)
    drafts = with_inputs(drafts)
    never_ends = env.mode is _AUTOMATIC and any(draft.unbounded for draft in drafts)
    settings = {**env.as_set(), **({"mode": Mode.STREAMING} if never_ends else {})}
    job = Job(settings, drafts, location, run.jobs.table_steps, run.jobs.table_streams)
    run.memory.assign(run.jobs, "items", (*run.jobs.items, job))


def with_inputs(drafts: tuple[Draft, ...]) -> tuple[Draft, ...]:
    """The declarations of a job in their order, with those of an earlier job or another environment that they read."""
    present = {id(draft) for draft in drafts}
    missing: list[Draft] = []
    pending = [source for draft in drafts for source in (*draft.inputs, *draft.feedback)]
    while pending:
        draft = pending.pop()
        if id(draft) not in present:
            present.add(id(draft))
            missing.append(draft)
            pending.extend(draft.inputs)
    return tuple(sorted((*missing, *drafts), key=lambda draft: draft.born)) if missing else drafts
