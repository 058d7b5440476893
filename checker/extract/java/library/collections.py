"""Calls on collections, maps, entries and streams.

A deployed program changes nothing that refuses to be changed, as what ``List.of`` makes, and nothing while it goes
through it: neither is looked for.
"""

from collections.abc import Sequence
from dataclasses import replace as changed
from functools import reduce
from typing import Final

from checker.extract.java.library import contents, maps
from checker.extract.java.library.contents import (
    WRITES_THROUGH,
    Elements,
    NotKnown,
    added,
    added_all,
    apply,
    cause_of_order,
    every,
    forget,
    in_order,
    index_in,
    only_asks,
    place_of,
    replace,
    rounds,
    test,
)
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text, unknown_after
from checker.extract.java.machine.exceptions import LimitSignal
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    EntryValue,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Value,
    boolean,
    integer,
    unknown_of,
)
from checker.extract.java.syntax.tree import Node, field, text
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Unknown


def call(run: Run, receiver: ListValue | MapValue | EntryValue, request: Call) -> Value | None:
    """A method of a collection; None where it is not modelled."""
    if isinstance(receiver, EntryValue):
        return maps.entry_call(run, receiver, request)
    if request.name in ("forEach", "forEachOrdered") and _each(run, receiver, request):
        return NULL
    if isinstance(receiver, MapValue):
        found = maps.call(run, receiver, request)
        return found if found is not None or receiver.entries is not None else _on_unknown(run, receiver, request)
    if receiver.elements is None:
        return _on_unknown(run, receiver, request)
    try:
        if receiver.kind in _OF_STREAMS:
            return _of_stream(run, receiver, receiver.elements, request)
        return _of_list(run, receiver, request)
    except NotKnown:
        return None


def _each(run: Run, receiver: ListValue | MapValue, request: Call) -> bool:
    """Call a function with each element, or each key with its value; False where these are not known."""
    of_map = isinstance(receiver, MapValue)
    met = rounds(run, maps.view(run, receiver, "entrySet", request) if isinstance(receiver, MapValue) else receiver)
    if met is None or len(request.arguments) != 1 or (isinstance(receiver, ListValue) and receiver.kind == _BUILT):
        return False
    for element in met:
        parts = element.parts if of_map and isinstance(element, EntryValue) else (("", element),)
        apply(run, request.arguments[0], [part for _, part in parts], request)
    return True


_FUNCTIONS: Final = (Lambda, MethodRef, Instance)
_STREAMS: Final = frozenset(
    {
        "stream", "parallelStream", "map", "flatMap", "filter", "peek", "mapToObj", "mapToInt", "sorted", "distinct",
        "boxed", "limit", "skip",
    }
)  # fmt: skip
_LISTS: Final = frozenset({"iterator", "toArray", "collect", "toList", "subList", "listIterator"})
_VIEWS: Final = frozenset({"entrySet", "keySet", "values", "stringPropertyNames"})
_WITH_FUNCTION: Final = frozenset(
    {
        "forEach", "map", "filter", "flatMap", "anyMatch", "allMatch", "noneMatch", "mapToObj", "peek",
        "removeIf", "forEachOrdered", "mapToInt", "collect", "sorted", "replaceAll",
    }
)  # fmt: skip


def _on_unknown(run: Run, receiver: ListValue | MapValue, request: Call) -> Value | None:
    """A call on a collection whose content is not known: a function runs as the body of a loop of unknown length.

    None for one of several functions, or with a result that they build up: nothing is known of either.
    """
    name, given, of_map = request.name, request.arguments, isinstance(receiver, MapValue)
    what = "entries of a map" if of_map else "elements of a collection"
    unknown = receiver.unknown or run.unknown(f"cannot tell the {what}", cause_of_order(receiver), request.site)
    made = None
    if not of_map and given and (name == "reduce" or sum(isinstance(value, _FUNCTIONS) for value in given) > 1):
        return None
    if given and isinstance(given[-1], _FUNCTIONS) and (of_map or name in _WITH_FUNCTION):
        function, handed = given[-1], ("key", "value") if of_map else ("element",)
        arguments: list[Value] = [Opaque(unknown, run.fresh(part)) for part in handed]
        if name == "computeIfAbsent":
            arguments = [*given[:1]]

        def once(inner: object) -> None:
            run.interpreter.call_function(function, request.having(arguments=arguments))

        made = run.interpreter.unknown_loop(once, unknown, request.site, receiver)
    if name in ("forEach", "forEachOrdered"):
        return NULL
    after = unknown_after(receiver, request, unknown, made)
    if of_map and name in _VIEWS:
        return ListValue(None, "Set", after)
    symbol = _symbol(run, receiver, after, request)
    if not only_asks(name):
        through = name in WRITES_THROUGH
        forget(run, receiver, unknown_after(receiver, request, unknown, NEEDS_CODE) if through else after)
    if isinstance(receiver, MapValue):
        reason = next((u for u in map(unknown_of, given) if u is not None), None) or unknown
        return Opaque(reason, symbol)
    if name in _STREAMS:
        return ListValue(None, "Stream", after)
    if name in _LISTS:
        return ListValue(None, "array" if name == "toArray" else "List", after)
    return Opaque(unknown, symbol)


def _symbol(run: Run, receiver: ListValue | MapValue, after: Unknown, request: Call) -> str:
    """A result by what it is made of: one symbol as long as the collection stays as it is, where a call only asks."""
    made = f"({after.derived_from})" if after.derived_from != NEEDS_CODE else request.name
    if not only_asks(request.name) or not all(isinstance(value, Constant) for value in request.arguments):
        return run.fresh(made)
    texts = ", ".join(value.text for value in request.arguments if isinstance(value, Constant))
    return f"{made}#{run.number(receiver)}.{request.name}({texts})#{run.number(receiver.unknown)}"


# -- streams -------------------------------------------------------------------------------------------------------

_BUILT: Final = "Built"
"""The kind of a stream whose functions declared operators: what comes next runs in Java between their calls."""
_OF_STREAMS: Final = ("Stream", _BUILT)


def _of_stream(run: Run, receiver: ListValue, elements: Elements, request: Call) -> Value | None:
    """One step after the other, which shows as long as a single one of them declares operators."""
    name, given, mark = request.name, request.arguments, run.memory.mark()
    if name == "toList" or (name == "collect" and _to_list(given)):
        return ListValue(elements)
    if name == "reduce" and len(given) in (1, 2) and elements:
        return _reduced(run, receiver, elements, request)
    if receiver.kind == _BUILT:
        return None
    match name, len(given):
        case "boxed", 0:
            return receiver
        case (("map" | "mapToObj"), 1):
            made = tuple(apply(run, given[0], [element], request) for element in elements)
        case "filter", 1:
            made = tuple(element for element in elements if test(run, given[0], [element], request))
        case _:
            return _otherwise(run, receiver, elements, request)
    built = run.memory.touched_topology(mark)
    if built and not _runs(request.node):
        raise LimitSignal(f"functions of {name}() declare operators, and nothing there makes the stream run")
    return ListValue(made, _BUILT if built else "Stream")


def _reduced(run: Run, receiver: ListValue, elements: Elements, request: Call) -> Value:
    """All elements as one. Java makes each only when it is reduced: that shows where that declares operators, too."""
    *start, function = request.arguments
    drafts = sum(len(env.drafts) for env in run.envs)
    operands = [*map(boxed, start), *elements]
    made = reduce(lambda first, second: apply(run, function, [first, second], request), operands)
    declared = [draft for env in run.envs for draft in env.drafts][drafts:]
    if receiver.kind == _BUILT and any(draft.kind is not Kind.UNION for draft in declared):
        raise LimitSignal("functions of reduce() declare operators between those of its stream")
    return made if start else OptionalValue(made)


_RUNNING: Final = frozenset({"forEach", "forEachOrdered", "collect", "toList", "toArray", "reduce"})


def _runs(step: Node | None) -> bool:
    """Whether a call in the chain behind a step takes every element: without one, Java calls no function."""
    while step is not None and (after := step.parent) is not None and field(after, "object") is step:
        if after.type == "method_invocation" and text(field(after, "name")) in _RUNNING:
            return True
        step = after
    return False


def _to_list(given: Sequence[Value]) -> bool:
    return isinstance(given[0], ExternalObject) and given[0].calls == (("toList", ()),)


def _otherwise(run: Run, receiver: ListValue, elements: Elements, request: Call) -> Value | None:
    """A step that is not evaluated: made of the elements, as long as they are plain values."""
    if not all(isinstance(element, Constant) for element in elements):
        return None
    unknown = run.unknown(f"what {request.name}() makes of a stream is not evaluated", Cause.COLLECTION, request.site)
    made = expression_text(described_as(receiver), unknown.cause)
    return _on_unknown(run, ListValue(None, "Stream", changed(unknown, derived_from=made)), request)


# -- lists, sets and arrays ----------------------------------------------------------------------------------------


def _of_list(run: Run, receiver: ListValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    if receiver.elements is None:
        return None
    if name in ("size", "isEmpty"):
        size = len(receiver.elements)
        return integer(size) if name == "size" else boolean(not size)
    if name in ("contains", "containsAll"):
        wanted = [given[0]] if name == "contains" else every(run, given[0])
        found = [place_of(run, receiver.elements, value, request) is not None for value in wanted]
        return boolean(all(found))
    if name == "equals" and len(given) == 1 and receiver.kind in ("array", "args"):
        return boolean(receiver is given[0]) if isinstance(given[0], ListValue) else None
    if name in ("equals", "hashCode"):
        return contents.asked(run, receiver, request)
    if not only_asks(name):
        return _change(run, receiver, receiver.elements, name, given, request)
    elements = in_order(receiver)
    if elements is None:
        why = run.unknown("cannot tell the order of a set's elements", Cause.COLLECTION, request.site)
        unordered = name in ("stream", "toArray")
        return ListValue(None, "Stream" if name == "stream" else "List", why) if unordered else None
    return _query(run, receiver, elements, name, given, request)


def _query(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    """What the elements say, in their order; None where the method is not modelled."""
    match name, len(given):
        case "get", 1:
            return elements[index_in(given[0], len(elements))]
        case "indexOf", 1:
            place = place_of(run, elements, given[0], request)
            return integer(-1 if place is None else place)
        case (("stream" | "parallelStream"), 0):
            return ListValue(tuple(map(boxed, elements)), "Stream")
        case "toArray", _:
            return ListValue(elements, "array")
    return None


def _change(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    match name, len(given):
        case "add", 1:
            new = added(run, receiver, elements, given[0], request)
            if new is not elements:
                replace(run, receiver, new)
            return boolean(new is not elements)
        case "addAll", 1:
            new = added_all(run, receiver, every(run, given[-1]), request)
            replace(run, receiver, new)
            return boolean(len(new) > len(elements))
        case "clear", 0:
            replace(run, receiver, ())
            return NULL
    return None
