"""Makes drafts: a transformation declared by one call, with its place in the source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checker.extract.datastream.records import DEFAULT, CallSite, Draft
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.exceptions import LimitSignal
from checker.extract.java.machine.flink_values import EnvValue
from checker.extract.java.machine.run_state import MAX_DRAFTS
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Choice, Constant, ExternalObject, Opaque, Value, unknown_of
from checker.extract.java.syntax.tree import field, text
from checker.model.topology import Kind
from checker.model.unknowns import Location, Maybe, Unknown


def call_site(run: Run, place: Site, suffix: str = "") -> tuple[CallSite, Location]:
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
    site, location = call_site(run, place, suffix)
    if "parallelism" not in settings:
        virtual = inputs[0].parallelism if inputs else DEFAULT  # taken over from the first input at this moment
        settings["parallelism"] = virtual if kind.virtual else env.parallelism
    draft = Draft(site, kind, location, inputs, **settings)
    if register:
        run.memory.assign(env, "drafts", (*env.drafts, draft))
    return draft


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
    return unknown_of(value) or Unknown("a value that is not known")
