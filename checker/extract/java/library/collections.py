"""Lists, sets, arrays, maps, iterators and streams of values, as far as their elements are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checker.extract.java.interpreter import calls, operators
from checker.extract.java.interpreter.call_record import Call, Site
from checker.extract.java.interpreter.frames import LimitSignal, ThrowSignal
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    NULL,
    Choice,
    Constant,
    EntryValue,
    ExternalObject,
    Instance,
    IteratorValue,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Value,
    boolean,
    depends_of,
    integer,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.model.topology import Cause, Unknown

Elements = tuple[Value, ...]
MAX_ELEMENTS = 20_000


def elements_of(run: Run, value: Value) -> Elements | None:
    """The elements that a loop over a value meets, None where they are not known."""
    if isinstance(value, ListValue):
        return _in_order(value)
    if isinstance(value, IteratorValue):
        return value.elements[value.place :]
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def _in_order(value: ListValue) -> Elements | None:
    """The elements as an iteration meets them, None for orders that can't be told."""
    elements = value.elements
    if elements is None or len(elements) < 2 or value.kind not in ("HashSet", "TreeSet", "RandomSet"):
        return elements
    if value.kind == "TreeSet":
        return _sorted(elements)
    if value.kind == "RandomSet":
        return None
    placed = hash_order([(element, element) for element in elements])
    return tuple(key for key, _ in placed) if placed is not None else None


def hash_order(entries: list[tuple[Value, Value]]) -> list[tuple[Value, Value]] | None:
    """Entries in the order of a HashMap's buckets, None where a key's hash code is not known."""
    from checker.extract.java.library.strings import string_hash

    size = 16
    while len(entries) > size * 0.75:
        size *= 2
    placed: list[tuple[int, int, Value, Value]] = []
    for number, (key, value) in enumerate(entries):
        if isinstance(key, Constant) and isinstance(key.value, str) and key.java == "String":
            code = string_hash(key.value) & 0xFFFFFFFF
        elif isinstance(key, Constant) and isinstance(key.value, int) and key.java == "int":
            code = key.value & 0xFFFFFFFF
        else:
            return None
        placed.append(((code ^ (code >> 16)) & (size - 1), number, key, value))
    placed.sort(key=lambda item: item[:2])
    return [(key, value) for _, _, key, value in placed]


def call(
    run: Run, receiver: ListValue | MapValue | IteratorValue | EntryValue, call: Call,
) -> Value | None:  # fmt: skip
    """A method of a collection; None where it is not modelled."""
    if isinstance(receiver, MapValue):
        return _map_call(run, receiver, call)
    if isinstance(receiver, IteratorValue):
        return _iterator_call(run, receiver, call.name)
    if isinstance(receiver, EntryValue):
        return _entry_call(receiver, call.name)
    if (
        any(isinstance(value, Lambda | MethodRef | Instance) for value in call.arguments)
        and call.name in _WITH_FUNCTION
    ):
        return _functional(run, receiver, call)
    changed = _change(run, receiver, call)
    if changed is not None:
        return changed
    elements = _in_order(receiver) if call.name not in ("size", "isEmpty", "contains") else receiver.elements
    if elements is None:
        return _on_unknown(run, receiver, call)
    return _query(run, receiver, elements, call)


def same(left: Value, right: Value) -> bool | None:
    """``left.equals(right)``, None where that is not known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left.value == right.value
    if isinstance(left, Opaque) and isinstance(right, Opaque) and left.symbol == right.symbol:
        return True
    if isinstance(left, Opaque | Choice | ExternalObject) or isinstance(right, Opaque | Choice | ExternalObject):
        return True if left is right else None
    return left is right


def _forget(run: Run, receiver: ListValue | MapValue, unknown: Unknown | None, attribute: str) -> None:
    run.memory.assign(receiver, "unknown", unknown)
    run.memory.assign(receiver, attribute, None)


def _change(run: Run, receiver: ListValue, call: Call) -> Value | None:
    if call.name not in ("add", "addAll", "remove", "clear", "set", "addFirst", "addLast", "push", "offer", "sort"):
        return None
    elements = receiver.elements
    if elements is None:
        return boolean(True)
    if len(elements) > MAX_ELEMENTS:
        raise LimitSignal(f"a collection of more than {MAX_ELEMENTS:,} elements")
    unknown = Unknown(
        "the elements of a collection are not known here", Cause.COLLECTION, None, run.location(call.site)
    )
    if call.name in ("add", "addLast", "offer") and len(call.arguments) == 1:
        if receiver.kind.endswith("Set"):
            verdicts = [same(element, call.arguments[0]) for element in elements]
            if True in verdicts:
                return boolean(False)
        run.memory.assign(receiver, "elements", (*elements, call.arguments[0]))
    elif call.name in ("push", "addFirst"):
        run.memory.assign(receiver, "elements", (call.arguments[0], *elements))
    elif call.name == "addAll" and len(call.arguments) == 1:
        more = elements_of(run, run.settle(call.arguments[0]))
        if more is None:
            _forget(run, receiver, unknown_of(call.arguments[0]) or unknown, "elements")
        else:
            run.memory.assign(receiver, "elements", (*elements, *more))
    elif call.name == "clear":
        run.memory.assign(receiver, "elements", ())
    elif call.name in ("set", "add") and len(call.arguments) == 2 and isinstance(call.arguments[0], Constant):
        place = call.arguments[0].value
        assert isinstance(place, int)
        tail = elements[place + 1 :] if call.name == "set" else elements[place:]
        run.memory.assign(receiver, "elements", (*elements[:place], call.arguments[1], *tail))
    elif (
        call.name == "remove"
        and len(call.arguments) == 1
        and isinstance(call.arguments[0], Constant)
        and call.arguments[0].java == "int"
    ):
        place = call.arguments[0].value
        assert isinstance(place, int)
        run.memory.assign(receiver, "elements", (*elements[:place], *elements[place + 1 :]))
        return elements[place] if 0 <= place < len(elements) else NULL
    else:
        _forget(run, receiver, unknown, "elements")
    return boolean(True)


def _on_unknown(run: Run, receiver: ListValue, call: Call) -> Value | None:
    unknown = receiver.unknown or Unknown(
        "the elements of a collection are not known", Cause.COLLECTION, None, run.location(call.site)
    )
    if call.name in (
        "stream",
        "parallelStream",
        "iterator",
        "toArray",
        "sorted",
        "distinct",
        "collect",
        "toList",
        "boxed",
    ):
        return ListValue(None, "Stream" if "tream" in call.name else "List", unknown)
    symbol = f"{call.name}#{id(receiver)}" if call.name in ("size", "isEmpty") else None
    return Opaque(unknown, symbol or run.fresh(call.name), None, receiver.depends)


def _query(run: Run, receiver: ListValue, elements: Elements, call: Call) -> Value | None:
    depends = receiver.depends
    if call.name in ("size", "count"):
        return integer(len(elements), depends)
    if call.name == "isEmpty":
        return boolean(not elements, depends)
    if call.name in ("get", "elementAt") and call.arguments and isinstance(call.arguments[0], Constant):
        place = call.arguments[0].value
        if isinstance(place, int) and 0 <= place < len(elements):
            return elements[place]
        raise ThrowSignal(ExternalObject(External(("java.lang.IndexOutOfBoundsException",))))
    if call.name in ("contains", "indexOf") and call.arguments:
        verdicts = [same(element, call.arguments[0]) for element in elements]
        if True in verdicts and None not in verdicts[: verdicts.index(True)]:
            return boolean(True) if call.name == "contains" else integer(verdicts.index(True))
        if None not in verdicts:
            return boolean(False) if call.name == "contains" else integer(-1)
        return None
    if call.name in ("stream", "parallelStream"):
        return ListValue(elements, "Stream", depends=depends)
    if call.name in ("toList", "collect", "asList", "boxed", "sequential", "parallel", "unordered", "clone", "toArray"):
        return _collected(run, elements, call.name, call.arguments)
    if call.name in ("iterator", "listIterator"):
        return IteratorValue(elements)
    if call.name in ("getFirst", "peek", "element", "findFirst", "findAny", "poll", "pop", "getLast", "remove"):
        return _ends(run, receiver, elements, call.name)
    if (
        call.name in ("skip", "limit")
        and call.arguments
        and isinstance(call.arguments[0], Constant)
        and isinstance(call.arguments[0].value, int)
    ):
        count = call.arguments[0].value
        return ListValue(elements[count:] if call.name == "skip" else elements[:count], receiver.kind)
    if call.name == "subList" and all(isinstance(value, Constant) for value in call.arguments):
        bounds = [
            value.value for value in call.arguments if isinstance(value, Constant) and isinstance(value.value, int)
        ]
        return ListValue(elements[bounds[0] : bounds[1]], receiver.kind) if len(bounds) == 2 else None
    if call.name == "distinct":
        kept: list[Value] = []
        for element in elements:
            if not any(same(element, other) for other in kept):
                kept.append(element)
        return ListValue(tuple(kept), receiver.kind)
    if call.name == "sorted" and not call.arguments:
        ordered = _sorted(elements)
        return ListValue(ordered, receiver.kind) if ordered is not None else None
    if call.name == "mapToObj":
        return receiver
    return None


def _sorted(elements: Elements) -> Elements | None:
    if all(isinstance(element, Constant) and isinstance(element.value, str) for element in elements):
        return tuple(sorted(elements, key=lambda e: e.value if isinstance(e, Constant) else ""))  # type: ignore[arg-type,return-value]
    if all(isinstance(element, Constant) and isinstance(element.value, int) for element in elements):
        return tuple(sorted(elements, key=lambda e: e.value if isinstance(e, Constant) else 0))  # type: ignore[arg-type,return-value]
    return None


def _ends(run: Run, receiver: ListValue, elements: Elements, name: str) -> Value | None:
    if name in ("findFirst", "findAny"):
        return OptionalValue(elements[0] if elements else None)
    if not elements:
        return NULL
    if name in ("poll", "pop", "remove"):
        run.memory.assign(receiver, "elements", elements[1:])
    return elements[-1] if name == "getLast" else elements[0]


def _collected(run: Run, elements: Elements, name: str, given: Sequence[Value]) -> Value | None:
    kind = "array" if name == "toArray" else "Stream" if name in ("boxed", "sequential", "parallel") else "List"
    if name != "collect" or not given:
        return ListValue(elements, kind)
    collector = given[0]
    if not isinstance(collector, ExternalObject) or not collector.calls:
        return None
    how, arguments = collector.calls[0]
    if how in ("toList", "toUnmodifiableList", "toCollection"):
        return ListValue(elements, "List")
    if how in ("toSet", "toUnmodifiableSet"):
        return ListValue(elements, "HashSet")
    if how == "joining":
        texts = [operators.as_text(run, element) for element in elements]
        around = [value.text for value in arguments if isinstance(value, Constant)]
        if all(isinstance(text, Constant) for text in texts) and len(around) == len(arguments):
            glue, prefix, suffix = (*around, "", "", "")[:3]
            body = glue.join(text.text for text in texts if isinstance(text, Constant))
            return string(f"{prefix}{body}{suffix}", depends_of(*texts))
    return None


_WITH_FUNCTION = frozenset(
    {
        "forEach", "map", "filter", "flatMap", "anyMatch", "allMatch", "noneMatch", "reduce", "mapToObj", "peek",
        "removeIf", "forEachOrdered", "mapToInt", "collect", "sorted", "replaceAll", "computeIfAbsent",
    }
)  # fmt: skip


def _functional(run: Run, receiver: ListValue, call: Call) -> Value | None:
    function = call.arguments[-1]
    elements = _in_order(receiver)
    if elements is None:
        return _functional_unknown(run, receiver, call.name, function, call.site)
    results: list[Value] = []

    def apply(*arguments: Value) -> Value:
        return calls.call_function(run, function, call.having(arguments=list(arguments)))

    if call.name in ("forEach", "forEachOrdered"):
        for element in elements:
            apply(element)
        return NULL
    if call.name == "peek":
        for element in elements:
            apply(element)
        return receiver
    if call.name in ("map", "mapToObj", "mapToInt"):
        return ListValue(tuple(apply(element) for element in elements), "Stream")
    if call.name == "flatMap":
        for element in elements:
            inner = elements_of(run, run.settle(apply(element)))
            if inner is None:
                return None
            results.extend(inner)
        return ListValue(tuple(results), "Stream")
    if call.name in ("filter", "anyMatch", "allMatch", "noneMatch"):
        return _matching(run, elements, call.name, apply)
    if call.name == "reduce":
        return _reduce(elements, call.arguments, apply)
    return None


def _matching(run: Run, elements: Elements, name: str, apply: Callable[..., Value]) -> Value | None:
    kept: list[Value] = []
    for element in elements:
        verdict = run.truth(apply(element))
        if verdict is None:
            return ListValue(None, "Stream", Unknown("which elements a filter keeps is not known", Cause.COLLECTION))
        if verdict:
            kept.append(element)
    if name == "filter":
        return ListValue(tuple(kept), "Stream")
    answers = {"anyMatch": bool(kept), "noneMatch": not kept, "allMatch": len(kept) == len(elements)}
    return boolean(answers[name])


def _reduce(elements: Elements, given: Sequence[Value], apply: Callable[..., Value]) -> Value | None:
    rest = list(elements)
    if len(given) == 1:
        if not rest:
            return OptionalValue(None)
        result = rest.pop(0)
    else:
        result = given[0]
    for element in rest:
        result = apply(result, element)
    return OptionalValue(result) if len(given) == 1 else result


def _functional_unknown(run: Run, receiver: ListValue, name: str, function: Value, site: Site) -> Value | None:
    """A function applied to elements that are not known: once, as the body of a loop of unknown length."""
    from checker.extract.java.interpreter.loops import unknown_loop

    unknown = receiver.unknown or Unknown(
        "the elements of a collection are not known", Cause.COLLECTION, None, run.location(site)
    )
    element = Opaque(unknown, run.fresh("element"))
    unknown_loop(
        run,
        lambda inner: _ignore(calls.call_function(run, function, Call("apply", [element], Site(site.node, inner)))),
        unknown,
        site,
        receiver,
    )
    if name in ("forEach", "forEachOrdered"):
        return NULL
    if name in ("map", "flatMap", "filter", "peek", "mapToObj", "sorted"):
        return ListValue(None, "Stream", unknown)
    return Opaque(unknown, run.fresh(name))


def _ignore(value: Value) -> None:
    del value


# -- maps ----------------------------------------------------------------------------------------------------------


def _map_call(run: Run, receiver: MapValue, call: Call) -> Value | None:
    entries = receiver.entries
    unknown = receiver.unknown or Unknown(
        "the entries of a map are not known", Cause.COLLECTION, None, run.location(call.site)
    )
    if call.name in ("put", "setProperty", "putIfAbsent", "putAll", "remove", "clear"):
        return _map_change(run, receiver, call.name, call.arguments, unknown)
    if call.name == "forEach" and call.arguments:
        return _map_for_each(run, receiver, call.arguments[0], unknown, call.site)
    if call.name in ("computeIfAbsent", "getOrDefault", "get", "getProperty", "containsKey"):
        return _map_get(run, receiver, call.name, call.arguments, unknown, call.site)
    if entries is None:
        if call.name in ("entrySet", "keySet", "values"):
            return ListValue(None, "Set", unknown)
        return Opaque(unknown, run.fresh(call.name))
    if call.name in ("entrySet", "keySet", "values", "stringPropertyNames") and len(entries) > 1:
        ordered = _ordered_entries(receiver, entries)
        if ordered is None:
            return ListValue(None, "Set", Unknown("the order of a map's entries is not known", Cause.COLLECTION))
        entries = ordered
    if call.name == "entrySet":
        return ListValue(tuple(EntryValue((("getKey", k), ("getValue", v))) for k, v in entries), "Set")
    if call.name in ("keySet", "stringPropertyNames"):
        return ListValue(tuple(key for key, _ in entries), "Set")
    if call.name == "values":
        return ListValue(tuple(value for _, value in entries), "List")
    if call.name == "size":
        return integer(len(entries))
    if call.name == "isEmpty":
        return boolean(not entries)
    return None


def _ordered_entries(
    receiver: MapValue, entries: tuple[tuple[Value, Value], ...]
) -> tuple[tuple[Value, Value], ...] | None:
    if receiver.order == "insertion":
        return entries
    if receiver.order == "sorted":
        keys = _sorted(tuple(key for key, _ in entries))
        return tuple((key, next(v for k, v in entries if k is key)) for key in keys) if keys is not None else None
    placed = hash_order(list(entries)) if receiver.order == "hash" else None
    return tuple(placed) if placed is not None else None


def _map_change(run: Run, receiver: MapValue, name: str, given: Sequence[Value], unknown: Unknown) -> Value:
    entries = receiver.entries
    if entries is None:
        return NULL
    if name == "clear":
        run.memory.assign(receiver, "entries", ())
        return NULL
    if name == "putAll":
        other = given[0] if given else None
        if isinstance(other, MapValue) and other.entries is not None:
            for key, value in other.entries:
                _map_change(run, receiver, "put", [key, value], unknown)
        else:
            _forget(run, receiver, unknown, "entries")
        return NULL
    verdicts = [same(key, given[0]) for key, _ in entries]
    if None in verdicts:
        _forget(run, receiver, unknown, "entries")
        return NULL
    place = verdicts.index(True) if True in verdicts else None
    old = entries[place][1] if place is not None else NULL
    if name == "remove":
        if place is not None:
            run.memory.assign(receiver, "entries", (*entries[:place], *entries[place + 1 :]))
    elif place is None:
        run.memory.assign(receiver, "entries", (*entries, (given[0], given[1])))
    elif name != "putIfAbsent":
        run.memory.assign(receiver, "entries", (*entries[:place], (entries[place][0], given[1]), *entries[place + 1 :]))
    return old


def _map_get(
    run: Run, receiver: MapValue, name: str, given: Sequence[Value], unknown: Unknown, site: Site
) -> Value | None:
    if not given:
        return None
    key = given[0]
    entries = receiver.entries
    verdicts: list[bool | None] = [same(known, key) for known, _ in entries] if entries is not None else [None]
    if entries is not None and True in verdicts and None not in verdicts[: verdicts.index(True)]:
        return boolean(True) if name == "containsKey" else entries[verdicts.index(True)][1]
    if None not in verdicts:
        if name == "containsKey":
            return boolean(False)
        if name == "computeIfAbsent" and len(given) == 2:
            value = calls.call_function(run, given[1], Call("apply", [key], site))
            _map_change(run, receiver, "put", [key, value], unknown)
            return value
        return given[1] if len(given) > 1 else NULL
    symbol = f"map#{id(receiver)}.{name}({key.text})" if isinstance(key, Constant) else run.fresh(name)
    reason = unknown_of(key) or unknown
    return Opaque(reason, symbol, None, depends_of(key))


def _map_for_each(run: Run, receiver: MapValue, function: Value, unknown: Unknown, site: Site) -> Value:
    from checker.extract.java.interpreter.loops import unknown_loop

    listed = _map_call(run, receiver, Call("entrySet", [], site))
    elements = listed.elements if isinstance(listed, ListValue) else None
    if elements is None:
        key, value = Opaque(unknown, run.fresh("key")), Opaque(unknown, run.fresh("value"))
        unknown_loop(
            run,
            lambda inner: _ignore(
                calls.call_function(run, function, Call("apply", [key, value], Site(site.node, inner)))
            ),
            unknown,
            site,
            receiver,
        )
        return NULL
    for element in elements:
        if isinstance(element, EntryValue):
            calls.call_function(run, function, Call("apply", [part for _, part in element.parts], site))
    return NULL


def _iterator_call(run: Run, receiver: IteratorValue, name: str) -> Value | None:
    if name == "hasNext":
        return boolean(receiver.place < len(receiver.elements))
    if name == "next" and receiver.place < len(receiver.elements):
        value = receiver.elements[receiver.place]
        run.memory.assign(receiver, "place", receiver.place + 1)
        return value
    return None


def _entry_call(receiver: EntryValue, name: str) -> Value | None:
    for part, value in receiver.parts:
        if part == name:
            return value
    return None
