"""What was read of a pipeline, as far as it explains edits: which states, keys and classes are known completely."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from checker.model.declared_state import ClassShape, StateDescriptor, StateKind
from checker.model.nested import unknowns_in, values_in
from checker.model.program_code import simple_name
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import BY_DEPLOYMENT, CODE, NAMED_ANEW, PROCESSORS, Cause, Unknown

_OF_FLINK = frozenset(
    {"sharedBuffer-entries-with-lockable-edges", "sharedBuffer-events-count", "merging-window-set", "count",
     "fire-time", "file-monitoring-state", "splits"}
)  # fmt: skip
"""States of Flink's own operators that hold objects of Flink's own only."""
_WITHOUT_TYPES = frozenset({StateKind.TIMERS, StateKind.COORDINATOR})


@dataclass(frozen=True)
class Facts:
    """The topologies of both revisions, together: a thing is known only if it is known in both."""

    topologies: tuple[Topology, ...]
    failures: tuple[Unknown, ...] = ()
    """Why a side could not be read: nothing that code became was compared."""
    unplanned: frozenset[str] = frozenset()
    """Simple names of classes that tables use, as functions or values, where these tables were not planned."""

    @property
    def unread(self) -> bool:
        """A side could not be read."""
        return bool(self.failures)

    @cached_property
    def openings(self) -> tuple[Unknown, ...]:
        """What stands for operators that were not read, or for the whole graph."""
        return (*self.failures, *(unknown for topology in self.topologies for unknown in topology.openings))

    @cached_property
    def opening_places(self) -> frozenset[tuple[str, int] | None]:
        """File and line of all of them; None where one has no place."""
        holes = (t for t in self.transformations if t.opening is not None)
        places = [*(u.location for u in self.openings), *(t.location for t in holes if t.location is not None)]
        return frozenset(None if place is None else (place.file, place.line) for place in places)

    @cached_property
    def all_known(self) -> bool:
        """No graph and no state depends on anything that was not read: nothing in them is unknown, or named by code."""
        return not self.unread and not any(_any_open(topology) for topology in self.topologies)

    @cached_property
    def asked_for(self) -> frozenset[str]:
        """Names of arguments and variables, not given, that graph or state depend on; ``UID_*`` for computed ones."""
        return frozenset(name for topology in self.topologies for name in _asked_for(topology))

    def computes_keys_with(self, variable: str) -> bool:
        """Whether the code of a key names a variable of the environment, or is too long to be kept as a whole."""
        named = re.compile(rf"""['"]{re.escape(variable)}['"]|… [0-9a-f]+$""")
        keys = (t.key.derived_from if isinstance(t.key, Unknown) else t.key for t in self.transformations)
        return any(named.search(key) for key in keys if key)

    @property
    def keys_open(self) -> bool:
        """Which keys some elements have is known by the code that gives them alone."""
        return any(isinstance(t.key, Unknown) or _DIGEST.search(t.key or "") for t in self.transformations)

    @cached_property
    def all_named(self) -> bool:
        """Every value that is not known says on which arguments or variables it depends."""
        unknown = (u for topology in self.topologies for u in unknowns_in(topology, names=False))
        return not self.unread and all(u.derived_from in _DEPLOYED or any(_asked_for(u)) for u in unknown)

    @cached_property
    def decided_elsewhere(self) -> bool:
        """Code that was not followed decides on graph or state, and nothing says by which arguments or options."""
        found = (u for topology in self.topologies for u in unknowns_in(topology, names=False))
        return self.unread or any(
            u.cause in _BY_CODE and u.derived_from not in (*_DEPLOYED, NAMED_ANEW) and not any(_asked_for(u))
            for u in found
        )

    @cached_property
    def pickles(self) -> bool:
        """Objects of a script's classes may lie in state, as Python pickles them: by module, class and attributes."""
        scripts = [t for t in self.topologies if t.extractor == "python"]
        return any(_pickled(t) for topology in scripts for t in _all(topology.operators()))

    @cached_property
    def transformations(self) -> tuple[Transformation, ...]:
        """Every transformation of either side, those inside of sinks included."""
        return tuple(t for topology in self.topologies for t in _all(topology.operators()))

    @cached_property
    def graph_open(self) -> bool:
        """Some operators could not be read."""
        return self.unknown_operators or any(t.variants_unknown is not None for t in self.topologies)

    @cached_property
    def unknown_operators(self) -> bool:
        """Code that is not followed may declare operators."""
        return any(t.opening is not None for t in self.transformations)

    def unread_state(self, classes: frozenset[str] | None = None) -> str | None:
        """Why some state that functions register is not known; of some classes only, by their simple names.

        What a connector's object keeps is compared by what the object is made of. Subclasses of the program's are
        functions of its own.
        """
        for t in self.transformations:
            if classes is None or not classes.isdisjoint(functions_of(t)):
                made_alike = isinstance(t.state, Unknown) and t.state.cause is Cause.CONNECTOR and t.state.derived_from
                reason = None if made_alike else _unread_state(t)
                if reason is not None:
                    return f"{t.display_name}: {reason}"
        return None

    def is_function(self, classes: frozenset[str]) -> bool:
        """Whether an operator runs one of these classes."""
        return any(not classes.isdisjoint(functions_of(t)) for t in self.transformations)

    @cached_property
    def feeding(self) -> tuple[Transformation, ...]:
        """Transformations whose results may lie in state of unknown type, and those that keep it."""
        found: list[Transformation] = []
        for topology in () if self.elements_read else self.topologies:
            by_id = {t.id: t for t in topology.operators()}
            pending = [t for t in by_id.values() if _holds_unknown(t)]
            seen: set[str] = set()
            while pending:
                node = pending.pop()
                if node.id not in seen:
                    seen.add(node.id)
                    found.append(node)
                    pending.extend(by_id[name] for name in node.inputs if name in by_id)
        return tuple(found)

    @cached_property
    def feeding_functions(self) -> frozenset[str]:
        """Simple names of the functions of these transformations."""
        return frozenset(name for t in self.feeding for name in functions_of(t))

    @cached_property
    def _feeding_places(self) -> frozenset[tuple[str, int]]:
        return frozenset((t.location.file, t.location.line) for t in self.feeding if t.location is not None)

    def feeds(self, file: str, first: int, last: int) -> bool:
        """Whether one of these transformations is declared between two lines."""
        return any((file, line) in self._feeding_places for line in range(first, last + 1))

    @cached_property
    def registrations(self) -> frozenset[tuple[str, int]]:
        """File and line of every descriptor that was read."""
        return frozenset(
            (s.location.file, s.location.line)
            for t in self.transformations
            for s in t.known_states
            if s.location is not None
        )

    @cached_property
    def keyed_transformations(self) -> tuple[Transformation, ...]:
        """Those whose elements have keys."""
        return tuple(t for t in self.transformations if _has_key(t))

    @cached_property
    def keys_read(self) -> bool:
        """What every keyed operator takes for its key is known."""
        return not any(t.key is None or _unread(t.key) for t in self.keyed_transformations)

    @cached_property
    def keys_spelled(self) -> bool:
        """What every keyed operator takes for its key is known as an expression, with all code that it calls."""
        return all(isinstance(t.key, str) for t in self.keyed_transformations)

    @cached_property
    def key_types_read(self) -> bool:
        """The type of every key is known."""
        return not any(t.key_type is None or _unread(t.key_type) for t in self.keyed_transformations)

    @cached_property
    def keyed(self) -> bool:
        """The elements of any operator have keys."""
        return bool(self.keyed_transformations)

    @cached_property
    def key_classes(self) -> frozenset[str]:
        """Simple names of classes whose objects are keys."""
        return frozenset(simple_name(c.name) for t in self.transformations for c in t.key_classes)

    @cached_property
    def shapes(self) -> frozenset[str]:
        """Simple names of classes in state and keys whose serialization is known."""
        return frozenset(simple_name(c.name) for c in self._shapes if not isinstance(c.serialization, Unknown))

    @cached_property
    def polymorphic(self) -> frozenset[str]:
        """Simple names of classes in state that may stand for a subclass, or whose serialization is not known."""
        return frozenset(simple_name(c.name) for c in self._shapes if isinstance(c.serialization, Unknown))

    @cached_property
    def words(self) -> frozenset[str]:
        """The names in what was read of operators and states, simple or with what they stand in."""
        return _names_in((*(replace(t, key=None) for t in self.transformations), *self.openings))

    @cached_property
    def words_of_keys(self) -> frozenset[str]:
        """The same in what keys are computed by."""
        return _names_in([t.key for t in self.transformations])

    @cached_property
    def _shapes(self) -> tuple[ClassShape, ...]:
        states = (s for t in self.transformations for s in t.known_states)
        return (*(c for s in states for c in s.classes), *(c for t in self.transformations for c in t.key_classes))

    @cached_property
    def versions_read(self) -> bool:
        """The Flink version of every side is known."""
        return all(t.flink is not None for t in self.topologies)

    @cached_property
    def one_version(self) -> str | None:
        """The Flink version that both sides are known to run."""
        versions = {t.flink for t in self.topologies}
        return versions.pop() if len(self.topologies) == 2 and len(versions) == 1 else None

    @cached_property
    def pinned(self) -> bool:
        """Every operator that may have state has a uid of its own."""
        return all(t.uid is not None for t in self.transformations if t.stateful is not False and not t.kind.virtual)

    @cached_property
    def elements_read(self) -> bool:
        """The types of everything that lies in state are known, in one revision at least.

        Then no state is of unknown type in both: it is new, is gone, or its types are compared and found open.
        """
        sides = (_all(topology.operators()) for topology in self.topologies)
        return not self.topologies or any(not any(map(_holds_unknown, side)) for side in sides)


def _has_key(t: Transformation) -> bool:
    """Whether elements have keys of their own there: windows over all elements have one constant key."""
    return t.keyed and not (t.operator or "").endswith("-all")


def _unread(value: object) -> bool:
    """Whether nothing compares a value: one that is known by all code that makes it is compared by that code."""
    return isinstance(value, Unknown) and not (value.derived_from or "").startswith(CODE)


_NAMES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_DIGEST = re.compile(r"(?:\[|… )[0-9a-f]{12,}\b")
"""What stands in the text of a key for code that it calls."""
_DEPLOYED = (BY_DEPLOYMENT, PROCESSORS)
_BY_CODE = (Cause.EXTERNAL, Cause.REFLECTION, Cause.SYNTAX, Cause.LIMIT, Cause.UNSUPPORTED)


def _any_open(record: Any) -> bool:
    """Whether a nested value is unknown, or stands for code. What the deployment decides is none of the program's."""
    return any(
        value.derived_from not in _DEPLOYED if isinstance(value, Unknown) else value.startswith(CODE)
        for value in values_in(record)
        if isinstance(value, Unknown | str)
    )


_MADE_OF = re.compile(r"\b(?:arg|environment variable|system property|property):([\w.-]*\w)")
"""Names of arguments and variables that an unknown value is derived from."""
_COMPUTED = re.compile(r"\bvalue\(environment variables [0-9a-f]+, (?:'([A-Z][A-Z0-9_]*)' \+)?")
"""A variable whose name the program computes, with what its name begins with."""


def _asked_for(record: Any) -> Iterator[str]:
    """The arguments that a nested value depends on, except for names that people read."""
    for unknown in unknowns_in(record, names=False):
        yield from () if unknown.argument is None else (unknown.argument,)
        yield from _MADE_OF.findall(unknown.derived_from or "")  # a value that a condition takes, or one beside it
        yield from (f"{prefix}*" for prefix in _COMPUTED.findall(unknown.derived_from or ""))


def _names_in(records: Sequence[object]) -> frozenset[str]:
    """Of what is not known, those that the reason and the code behind it name, unless the deployment decides."""
    values = list(values_in(tuple(records), names=False))
    unknowns = [v for v in values if isinstance(v, Unknown) and v.cause is not Cause.ARGUMENT]
    texts = [text for v in unknowns for text in (v.reason, v.derived_from or "")]
    text = " ".join((*texts, *(v for v in values if isinstance(v, str))))
    named = frozenset(_NAMES.findall(text.replace("$", ".")))
    return named.union(*(name.split(".") for name in named))


def _all(transformations: Iterable[Transformation]) -> Iterator[Transformation]:
    for transformation in transformations:
        yield transformation
        yield from _all((*transformation.pre_write, *transformation.pre_commit, *transformation.post_commit))


def functions_of(t: Transformation) -> frozenset[str]:
    """The simple names of the functions that an operator runs: PyFlink runs several in one."""
    return frozenset(map(simple_name, (t.function or "").split(", ")))


def _connector(t: Transformation) -> bool:
    """A source or sink whose class is not in the repository: what it keeps, its connector decides."""
    outer = t.function is None or t.function.startswith("org.apache.flink.")
    return t.kind in (Kind.SOURCE, Kind.LEGACY_SOURCE, Kind.SINK, Kind.LEGACY_SINK) and outer


def _unread_state(t: Transformation) -> str | None:
    """Why a transformation's states are not known, None where they are."""
    if _connector(t):
        return None
    for value in (t.state, t.stateful):
        if isinstance(value, Unknown):
            return value.reason
    return next((reason for s in t.known_states if (reason := _unread_descriptor(s)) is not None), None)


def _unread_descriptor(state: StateDescriptor) -> str | None:
    if _never_found(state):
        return None
    if state.ttl is None and state.location is not None and state.kind not in _WITHOUT_TYPES:
        return "cannot tell whether its values expire"
    if isinstance(state.name, Unknown) and not state.name.derived_from:  # a name is compared by its expression
        return state.name.reason
    values = (state.kind, state.key_type, state.value_type, state.serializer, state.ttl)
    return next((value.reason for value in values if isinstance(value, Unknown) and _unread(value)), None)


def _holds_unknown(t: Transformation) -> bool:
    if _connector(t):
        return False
    if _unread_state(t) is not None:
        return True
    if isinstance(t.state, Unknown) or (t.stateful is True and not t.state):
        return True
    positions = t.kind.source and not t.functions_at  # what a library's source keeps are places in its data
    kept = [s for s in t.state if s.location is not None or not positions]
    kept = [s for s in kept if s.location is not None or t.function is not None]  # else it is of a connector's operator
    return any(s.value_type is None and not _never_found(s) and not _of_flink(s) for s in kept)


def _of_flink(state: StateDescriptor) -> bool:
    """A state that Flink's own operator registers, for objects that are none of the program's."""
    return state.kind in _WITHOUT_TYPES or (state.location is None and state.name in _OF_FLINK)


def _never_found(state: StateDescriptor) -> bool:
    """A state whose name is different in every run: none of its contents restore."""
    anew = isinstance(state.name, Unknown) and state.name.derived_from == NAMED_ANEW
    return anew or (isinstance(state.name, Unknown) and state.name.cause is Cause.NON_DETERMINISTIC)


def _pickled(t: Transformation) -> bool:
    """Whether a Python operator may keep pickled objects."""
    if _connector(t) or t.stateful is False:
        return False
    if isinstance(t.state, Unknown):
        return True
    kept = [s for s in t.state if s.kind not in _WITHOUT_TYPES and not _never_found(s)]
    types = [type_ for s in kept for type_ in (s.key_type, s.value_type)]
    return any(isinstance(type_, Unknown) or "byte[]" in (type_ or "") for type_ in types)
