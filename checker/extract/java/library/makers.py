"""Static methods that make and change collections: ``Collections``, ``List.of``, Guava's factories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from checker.extract.java.library import (
    arrays,
    collections,
    enums,
    equality,
    function_objects,
    map_contents,
    stream_sources,
)
from checker.extract.java.library.contents import (
    IMMUTABLE,
    MAX_ELEMENTS,
    Elements,
    NotKnown,
    View,
    added_all,
    forget,
    index_in,
    known,
    order,
    place_of,
    replace,
    rigid,
    sure,
    unknown_content,
    unmodifiable,
    varargs,
)
from checker.extract.java.library.iteration import every
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    EntryValue,
    ListValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    integer,
    is_null,
)

Handler = Callable[[Run, str, list[Value], Call], Value | None]


def static(run: Run, simple: str, call: Call) -> Value | None:
    """A static method of a class of collections or streams; None where it is not modelled."""
    made = function_objects.static(simple, call.name, call.arguments)
    if made is not None:
        return made
    handler = _CLASSES.get(simple)
    if handler is None:
        return None
    try:
        return handler(run, call.name, list(call.arguments), call)
    except NotKnown:
        return _unknown(run, simple, call)


_MAKES: Final = {"Stream": "Stream", "IntStream": "Stream", "LongStream": "Stream", "List": "Immutable", "Set": "Set"}


def _unknown(run: Run, simple: str, call: Call) -> Value:
    unknown = unknown_content(run, call, "the elements of a collection are not known here")
    if simple in ("Collections", "Arrays") and call.name in CHANGES and call.arguments:
        forget(run, call.arguments[0], unknown_after(None, call, unknown))
        return NULL
    if simple in _MAKES or call.name in ("asList", "copyOf", "copyOfRange", "stream", "nCopies"):
        return ListValue(None, _MAKES.get(simple, "List"), unknown_after(None, call, unknown))
    return Opaque(unknown, run.fresh(call.name))


def _refuse_nulls(elements: Sequence[Value]) -> None:
    if any(is_null(value) for value in elements):
        throw("NullPointerException")


# -- List, Set, Map ------------------------------------------------------------------------------------------------


def _list(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in known(varargs(given)))
    elif name == "copyOf":
        elements = every(run, given[0], call)
    else:
        return None
    _refuse_nulls(elements)
    return ListValue(elements, "Immutable")


def _set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in known(varargs(given)))
        _refuse_nulls(elements)
        distinct = added_all(run, ListValue((), "Set"), elements, call)
        if len(distinct) < len(elements):
            throw("IllegalArgumentException")
        return ListValue(distinct, "RandomSet")
    if name == "copyOf":
        source = run.settle(given[0])
        if not isinstance(source, ListValue) or source.elements is None:
            raise NotKnown
        return ListValue(added_all(run, ListValue((), "Set"), source.elements, call), "RandomSet")
    return None


def _map(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of" and len(given) % 2 == 0:
        pairs = tuple((boxed(k), boxed(v)) for k, v in zip(given[::2], given[1::2], strict=True))
    elif name == "entry" and len(given) == 2:
        _refuse_nulls(given)
        return EntryValue((("getKey", boxed(given[0])), ("getValue", boxed(given[1]))))
    elif name == "ofEntries":
        entries = known(varargs(given))
        pairs = tuple((e.parts[0][1], e.parts[1][1]) for e in entries if isinstance(e, EntryValue))
        if len(pairs) != len(entries):
            raise NotKnown
    elif name == "copyOf" and isinstance(given[0], MapValue):
        return MapValue(given[0].entries, "random", given[0].unknown, immutable=True)
    else:
        return None
    _refuse_nulls([part for pair in pairs for part in pair])
    if len(added_all(run, ListValue((), "Set"), [k for k, _ in pairs], call)) < len(pairs):
        throw("IllegalArgumentException")
    return MapValue(pairs, "random", immutable=True)


def _guava(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        return ListValue(tuple(boxed(value) for value in known(varargs(given))), "Immutable")
    return ListValue(every(run, given[0], call), "Immutable") if name == "copyOf" else None


def _guava_set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    made = _guava(run, name, given, call)
    if not isinstance(made, ListValue) or made.elements is None:
        return None
    shown = ListValue(added_all(run, ListValue((), "Set"), made.elements, call), "Set")
    return unmodifiable(shown)


def _guava_map(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of" and len(given) % 2 == 0:
        pairs = tuple((boxed(k), boxed(v)) for k, v in zip(given[::2], given[1::2], strict=True))
        return MapValue(pairs, "insertion", immutable=True)
    return None


def _new(kind: str) -> Handler:
    def handler(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
        kinds = {
            "newArrayList": "List",
            "newHashSet": "HashSet",
            "newLinkedHashSet": "Set",
            "newLinkedList": "LinkedList",
        }
        if name not in kinds:
            return None
        content = run.settle(given[0]) if len(given) == 1 else None
        elements = every(run, content, call) if isinstance(content, ListValue) else tuple(boxed(v) for v in given)
        target = ListValue((), kinds[name])
        return ListValue(added_all(run, target, elements, call), kinds[name])

    return handler


# -- Collections ---------------------------------------------------------------------------------------------------

CHANGES: Final = frozenset(
    {"sort", "reverse", "addAll", "fill", "swap", "rotate", "shuffle", "setAll", "replaceAll", "parallelSort"}
)


def _collections(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    first = run.settle(given[0]) if given else NULL
    if name in ("emptyList", "emptySet", "emptyMap"):
        if name == "emptyMap":
            return MapValue((), "insertion", immutable=True, rigid=True)
        return rigid((), "List" if name == "emptyList" else "Set")
    if name in ("singletonList", "singleton"):
        return rigid((boxed(given[0]),), "List" if name == "singletonList" else "Set", single=True)
    if name == "singletonMap":
        return MapValue(((boxed(given[0]), boxed(given[1])),), "insertion", immutable=True, rigid=True)
    if name == "nCopies":
        count = sure(whole(given[0]))
        if count > MAX_ELEMENTS:
            raise NotKnown
        if count < 0:
            throw("IllegalArgumentException", f"List length = {count}")
        return rigid((boxed(given[1]),) * count, "List")
    if name.startswith(("unmodifiable", "synchronized", "checked")):
        return _wrapped(name, first)
    if name in CHANGES and isinstance(first, ListValue):
        return _change(run, name, first, given, call)
    if name in ("max", "min"):
        return _extreme(run, name, every(run, first, call), given[1] if len(given) > 1 else None, call)
    if name == "frequency":
        verdicts = [equality.equal(run, given[1], e, call) for e in every(run, first, call)]
        return integer(sum(map(sure, verdicts)))
    if name == "disjoint":
        second = every(run, given[1], call)
        return boolean(all(place_of(run, second, e, call) is None for e in every(run, first, call)))
    return None


def _wrapped(name: str, value: Value) -> Value | None:
    if is_null(value):
        throw("NullPointerException")
    if not name.startswith("unmodifiable"):
        return value
    if isinstance(value, MapValue):
        return map_contents.MapView(value)
    if isinstance(value, ListValue):
        return unmodifiable(value)
    return None


def _change(run: Run, name: str, target: ListValue, given: list[Value], call: Call) -> Value | None:
    if name == "sort":
        order = given[1] if len(given) > 1 else NULL
        return collections.call(run, target, call.having(name="sort", arguments=[order]))
    if name == "addAll":
        more = known(varargs(given[1:]))
        before = len(known(target))
        for value in more:
            collections.call(run, target, call.having(name="add", arguments=[value]))
        return boolean(len(target.elements or ()) > before or (equality.is_list(target) and bool(more)))
    elements = known(target)
    size = len(elements)
    if name == "reverse":
        new = elements[::-1]
    elif name == "fill":
        new = (boxed(given[1]),) * size
    elif name == "swap":
        left, right = (index_in(value, size) for value in given[1:3])
        changed = list(elements)
        changed[left], changed[right] = changed[right], changed[left]
        new = tuple(changed)
    elif name == "rotate":
        cut = -sure(whole(given[1])) % size if size else 0
        new = (*elements[cut:], *elements[:cut])
    else:
        raise NotKnown
    if target.kind in IMMUTABLE and (size > 1 or (name == "fill" and size)):
        throw("UnsupportedOperationException")
    if target.kind not in IMMUTABLE and (new != elements or isinstance(target, View)):
        replace(run, target, new, structural=False)
    return NULL


def _extreme(run: Run, name: str, elements: Elements, comparator: Value | None, call: Call) -> Value:
    if not elements:
        throw("NoSuchElementException")
    best = elements[0]
    for value in elements[1:]:
        verdict = order(run, value, best, comparator, call)
        if verdict > 0 if name == "max" else verdict < 0:
            best = value
    return best


_CLASSES: Final[dict[str, Handler]] = {
    "List": _list, "Set": _set, "Map": _map, "Collections": _collections, "Arrays": arrays.static,
    "Stream": stream_sources.static, "IntStream": stream_sources.numbers("int"),
    "LongStream": stream_sources.numbers("long"), "DoubleStream": stream_sources.numbers("double"),
    "EnumSet": enums.enum_set, "ImmutableList": _guava, "ImmutableSet": _guava_set, "ImmutableMap": _guava_map,
    "Lists": _new("List"), "Sets": _new("Set"),
}  # fmt: skip
