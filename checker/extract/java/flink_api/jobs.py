"""Jobs of a program: its environments and what is set on them, what one ``execute()`` takes, what Flink refuses.

A transformation is declared by one call, with its place in the source. Settings of one operator are ``uid``, ``name``,
``setParallelism``, ``slotSharingGroup`` and those of chaining."""

from dataclasses import replace
from functools import partial
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.assembling import Reading
from checker.extract.datastream.records import DEFAULT, JOB_SETTINGS, CallSite, Draft, Job
from checker.extract.datastream.settings import (
    OF_OPERATORS,
    OPTIONS,
    RefusedError,
    Takes,
    mode_named,
    number_or_truth,
    set_on,
)
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.exceptions import LimitSignal, ThrowSignal
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.run_state import MAX_DRAFTS
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    ExternalObject,
    Opaque,
    Settings,
    Value,
    boolean,
    integer,
    is_null,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.tree import field, text
from checker.model.deployments import STATE_BACKEND, backend_named
from checker.model.topology import ChainingStrategy, Kind, Mode
from checker.model.unknowns import OF_ENVIRONMENT, Cause, Location, Maybe, Unknown, not_given


def call_site(place: Site, suffix: str = "") -> tuple[CallSite, Location]:
    """Where a call stands: the method's name is its place."""
    node, frame = place.written(), place.frame
    name = field(node, "name") if node.type == "method_invocation" else None
    at = name or node
    label = text(name) if name is not None else f"new {text(field(node, 'type'))}".partition("<")[0]
    return CallSite(frame.path, label + suffix, (frame.decl.unit.path, at.start_byte), frame.trail), frame.location(at)


def make(
    run: Run, env: EnvValue, kind: Kind, place: Site, *, inputs: tuple[Draft, ...] = (), suffix: str = "",
    register: bool = True, **settings: Any,
) -> Draft:  # fmt: skip
    """Declare a transformation; the next in creation order."""
    if len(env.drafts) > MAX_DRAFTS:
        raise LimitSignal(f"more than {MAX_DRAFTS:,} transformations")
    site, location = call_site(place, suffix)
    if "parallelism" not in settings:
        virtual = inputs[0].parallelism if inputs else DEFAULT  # taken over from the first input at this moment
        if not kind.virtual:
            run.memory.assign(env, "parallelism", _of_environment(env))
        settings["parallelism"] = virtual if kind.virtual else env.parallelism
    draft = Draft(site, kind, location, inputs, **settings)
    if register:
        run.memory.assign(env, "drafts", (*env.drafts, draft))
    return draft


def _of_environment(env: EnvValue) -> Any:
    """What an environment gives to operators from the next one on, which it may have been set for anew.

    Expressions over arguments are one value with it or without.
    """
    given = env.parallelism
    if not isinstance(given, Unknown) or given.cause is Cause.ARGUMENT or not given.derived_from:
        return given
    if given.derived_from.startswith(OF_ENVIRONMENT):
        return given
    return replace(given, derived_from=f"{OF_ENVIRONMENT}{len(env.drafts)} {given.derived_from}")


def maybe_text(value: Value) -> Maybe[str] | None:
    """A String argument: its text, None for null, else why it is not known."""
    if isinstance(value, Constant):
        return value.text if value.value is not None else None
    return unknown(value)


def maybe_int(value: Value) -> Maybe[int]:
    """An int argument, else why it is not known."""
    if isinstance(value, Constant) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    return unknown(value)


def unknown(value: Value) -> Unknown:
    """Why a value is not known, with the constants that it can be, and what it is derived from."""
    if isinstance(value, Opaque | ExternalObject | Choice):
        found = value.unknown
        if isinstance(value, Choice):
            options = [option.value for _, option in value.options if isinstance(option, Constant)]
            plain = tuple(o for o in options if isinstance(o, str | int))
            if len(plain) == len(value.options):
                found = replace(found, options=plain)
        return replace(found, derived_from=expression_of(value, found.cause))
    return unknown_of(value) or Unknown("an unknown value")


def default(run: Run) -> EnvValue:
    """The environment of a program that uses one whose creation was not seen."""
    return run.envs[-1] if run.envs else new(run)


def new(run: Run) -> EnvValue:
    """A fresh environment with what the deployment configures."""
    env = EnvValue()
    for key, value in run.entry.options:
        _apply(run, env, key, Constant(value, "String"))
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


def _apply(run: Run, env: EnvValue, key: str, value: Value) -> None:
    attribute = "state_backend" if key in STATE_BACKEND else OPTIONS.get(key)
    if attribute not in JOB_SETTINGS or (attribute == "chaining" and key not in run.api.chaining_options):
        return
    read = {"state_backend": backend_of, "mode": mode_of}.get(attribute, partial(option_of, attribute))
    run.memory.assign(env, attribute, read(value))


def option_of(attribute: str, value: Value) -> Maybe[int]:
    """The number or switch that a value says."""
    if isinstance(value, Constant) and value.value is not None:
        found = number_or_truth(attribute, str(value.value))
        return Unknown(f"'{value.value}' is not a value of it", Cause.UNSUPPORTED) if found is None else found
    return unknown(value) if unknown_of(value) else Unknown("an unknown setting", Cause.ARGUMENT)


def backend_of(value: Value) -> Maybe[str]:
    """The state backend that a name, a factory or an object stands for."""
    if isinstance(value, ExternalObject):
        return backend_named(value.type.simple)
    if isinstance(value, Constant):
        return backend_named(str(value.value))
    return unknown_of(value) or Unknown("an unknown state backend", Cause.UNSUPPORTED)


_AUTOMATIC = Unknown("AUTOMATIC is batch when all sources are bounded", Cause.UNSUPPORTED)


def mode_of(value: Value) -> Maybe[Mode]:
    """The execution mode that a value names."""
    name = ""
    if isinstance(value, Constant):
        name = str(value.value)
    elif isinstance(value, ExternalObject) and value.calls:
        calls = [called for called, _ in value.calls]
        name = "STREAMING" if calls[-2:] == ["RUNTIME_MODE", "defaultValue"] else calls[-1]
    if name.upper() == "AUTOMATIC":
        return _AUTOMATIC
    if (mode := mode_named(name)) is not None:
        return mode
    return unknown(value) if unknown_of(value) else Unknown("an unknown runtime mode", Cause.ARGUMENT)


def parallelism_value(run: Run, parallelism: object, site: Site) -> Value:
    """A parallelism as a value of the program."""
    if isinstance(parallelism, int):
        return integer(parallelism)
    if isinstance(parallelism, Unknown):
        return Opaque(parallelism, f"parallelism {parallelism.reason}")
    if run.entry.default_parallelism is not None:
        return integer(run.entry.default_parallelism)
    unknown = not_given("the job's default parallelism", "--parallelism", run.location(site))
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
    pending = [source for draft in drafts for source in draft.inputs]
    while pending:
        draft = pending.pop()
        if id(draft) not in present:
            present.add(id(draft))
            missing.append(draft)
            pending.extend(draft.inputs)
    return tuple(sorted((*missing, *drafts), key=lambda draft: draft.born)) if missing else drafts


# -- how jobs become topologies ---------------------------------------------------------------------------------------


def outline(job: Job) -> Any:
    """The shape of a job, roughly: equal outlines become one shape in the end."""
    number = {id(draft): place for place, draft in enumerate(job.drafts)}
    return tuple(
        (d.site.trail, d.site.place, d.site.call, d.kind, d.operator, tuple(number.get(id(i), -1) for i in d.inputs),
          tuple(operator.kind for stage in (d.pre_write, d.pre_commit, d.post_commit) for operator in stage))
        for d in job.drafts
    )  # fmt: skip


def _base(draft: Draft) -> str:
    """The uid, else the call and where it stands."""
    if isinstance(draft.uid, str) and draft.uid:
        return draft.uid
    where = draft.site.path[-1] if draft.site.path else "main"
    call = draft.site.call
    if draft.variable is not None and "#" not in call:
        return f"{where}/{draft.variable}:{call}"
    return f"{where}/{call}"


READING = Reading(extractor="java", program="the program", base=_base, joins=True)


SETTERS = frozenset({*OF_OPERATORS, "getParallelism", "getName"})
"""Names of the methods that set or return properties of an operator."""


def set_on_operator(run: Run, stream: StreamValue, call: Call) -> Value | None:
    """A setting of the stream's transformation; None for every other call."""
    draft = stream.draft
    if call.name not in SETTERS or draft is None or table.is_a(stream.type, "WindowedStream"):
        return None
    if call.name == "getParallelism":
        return parallelism_value(run, draft.parallelism, call.site)
    if call.name == "getName":
        return Constant(draft.name, "String") if isinstance(draft.name, str) else boolean(False)
    setting = OF_OPERATORS[call.name]
    if setting.takes is Takes.NOTHING:
        set_attribute(run, draft, setting.of, setting.value)
    elif call.arguments:
        _given(run, stream, draft, setting.of, setting.takes, call)
    return stream


def set_attribute(run: Run, draft: Draft, attribute: str, value: Any) -> None:
    """Set an attribute of an operator, or throw as Flink does."""
    try:
        set_on(run.memory.assign, draft, attribute, value)
    except RefusedError as refused:
        refuse(str(refused))


def _given(run: Run, stream: StreamValue, draft: Draft, of: str, takes: Takes, call: Call) -> None:
    value = call.arguments[0]
    if of in ("uid", "uid_hash"):
        if of == "uid_hash" and is_null(value):
            refuse("uidHash must not be null")
        run.memory.assign(draft, f"{of}_location", call_site(call.site)[1])
    read: Any
    if takes is Takes.TEXT:
        read = maybe_text(value)
    elif takes is Takes.NUMBER:
        read = maybe_int(value)
    elif takes is Takes.CHAINING:
        chosen = run.settle(value)
        named = chosen.calls[-1][0] if isinstance(chosen, ExternalObject) and chosen.calls else ""
        read = ChainingStrategy.__members__.get(named) or Unknown("an unknown chaining strategy")
    else:
        value = run.settle(value)
        if is_null(value):
            if run.api.null_slot_sharing_group_refused:
                refuse("slotSharingGroup must not be null")
            return
        read = _group(run, stream, value)
    set_attribute(run, draft, of, read)


def _group(run: Run, stream: StreamValue, value: Value) -> Maybe[str] | None:
    """A slot sharing group by its name. Flink refuses one name for groups of different resources."""
    if not (isinstance(value, ExternalObject) and value.type.simple.startswith("SlotSharingGroup")):
        return maybe_text(value)
    named = dict(value.calls).get("newBuilder", ())
    name = maybe_text(named[0]) if named else None
    given = {call: arguments[0] for call, arguments in value.calls if call.startswith("set") and arguments}
    resources = {call: argument.value for call, argument in given.items() if isinstance(argument, Constant)}
    if isinstance(name, str) and resources and len(resources) == len(given):
        if any(known == name and asked != resources for known, asked in stream.env.groups):
            refuse(f"The slot sharing group {name} has been configured with two different resource spec.")
        run.memory.assign(stream.env, "groups", (*stream.env.groups, (name, resources)))
    return name or unknown(value)
