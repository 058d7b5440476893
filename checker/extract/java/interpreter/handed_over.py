"""What library code may do to the objects that a program hands it.

Collections, maps and objects with annotated fields (options filled by JCommander, picocli, Spring) that reach code
outside of the repository may come back with another content: from then on it is not known. Flink, the JDK, loggers and
the connectors of the tables only read what they are given, but for the JDK's own mutators.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from checker.extract.java.interpreter.call_record import Call, Site
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    Builder,
    Constant,
    Holder,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    Settings,
    Value,
    string,
)
from checker.extract.java.library import lists, resources
from checker.extract.java.syntax.class_index import External
from checker.model.topology import Cause, Unknown

_READERS: Final = (
    "java.", "javax.", "org.apache.flink.", "org.slf4j.", "org.apache.log4j.", "org.apache.logging.",
    "org.apache.kafka.",
    "com.google.common.collect.", "com.google.common.base.", "org.apache.commons.lang", "org.junit.", "lombok.",
    "ch.qos.logback.", "scala.", "kotlin.",
)  # fmt: skip
_LOOKS_UP: Final = (
    "java.lang.reflect.",
    "java.lang.Class",
    "java.lang.invoke.",
    "java.util.ServiceLoader",
    "javax.script.",
)
"""Classes of the JDK that find code or files by their names."""
_JDK_MUTATORS: Final = frozenset(
    {"sort", "shuffle", "reverse", "addAll", "fill", "swap", "rotate", "setAll", "replaceAll", "parallelSort"}
)
_QUERIES: Final = (
    "get",
    "is",
    "has",
    "size",
    "contains",
    "index",
    "to",
    "stream",
    "iterator",
    "equals",
    "hash",
    "describe",
)


def handed_over(run: Run, owner: External, call: Call) -> None:
    """Forget what a call outside of the repository may have changed in its arguments."""
    only_reads = all(candidate.startswith(_READERS) for candidate in owner.candidates)
    if (call.name != "new" and not only_reads) or owner.name.startswith(_LOOKS_UP):
        run.gap(call.site)
    if only_reads:
        if owner.simple in ("Collections", "Arrays") and call.name in _JDK_MUTATORS and call.arguments:
            forget(run, call.arguments[0], f"{owner.simple}.{call.name}()", call.site)
        return
    for value in call.arguments:
        forget(run, value, f"{owner.simple}.{call.name}()", call.site)


def received(run: Run, receiver: Value, call: Call) -> None:
    """Forget the content of a modelled object whose method is not modelled, unless the method only asks.

    ``Properties.load`` of a resource in the repository is known.
    """
    path = resources.path_of(call.arguments[0]) if call.name == "load" and call.arguments else None
    if path is not None and isinstance(receiver, MapValue) and receiver.entries is not None:
        loaded = resources.properties(run, path) | dict(run.entry.values)
        kept = [(k, v) for k, v in receiver.entries if not (isinstance(k, Constant) and k.value in loaded)]
        entries = (*kept, *((string(key), string(value)) for key, value in loaded.items()))
        run.memory.assign(receiver, "entries", entries)
    elif not call.name.startswith(_QUERIES):
        forget(run, receiver, f"'{call.name}'", call.site)


def forget(run: Run, value: Value, by: str, site: Site) -> None:
    """The value's content is not known any more."""
    location = run.location(site)
    unknown = Unknown(f"its content was given by {by}, which is not in the repository", Cause.EXTERNAL, None, location)
    if isinstance(value, ListValue | MapValue):
        lists.forget(run, value, unknown)
    elif isinstance(value, Settings):
        run.memory.assign(value, "complete", False)
    elif isinstance(value, Holder):
        run.memory.assign(value, "value", Opaque(unknown, run.fresh("held")))
    elif isinstance(value, Builder):
        run.memory.assign(value, "content", Opaque(unknown, run.fresh("text")))
    elif isinstance(value, Instance) and not (run.entry.args == () and run.entry.arguments_known):
        _forget_annotated(run, value, unknown)


def _forget_annotated(run: Run, value: Instance, unknown: Unknown) -> None:
    """Options objects: annotated fields are what a command line or container fills in."""
    owners = [value.decl, *(a for a in run.index.ancestors(value.decl) if not isinstance(a, External))]
    for owner in owners:
        for declared in owner.fields.values():
            if declared.static or declared.final or declared.name not in value.fields:
                continue
            if any(child.type == "modifiers" and _annotated(child) for child in declared.node.children):
                run.memory.put(value.fields, declared.name, Opaque(unknown, run.fresh(declared.name)))


def _annotated(modifiers: Node) -> bool:
    return any(child.type in ("annotation", "marker_annotation") for child in modifiers.children)
