"""Static methods and constructors that make collections: ``Arrays``, ``Collections``, ``List.of``, ``new HashMap``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from checker.extract.java.library import collections, equality, function_objects, lists, maps, streams
from checker.extract.java.library.function_objects import apply, is_function
from checker.extract.java.library.lists import Elements, NotKnown, View
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import BOXES, boxed, convert, unboxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    EntryValue,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    integer,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.topology import Cause, Unknown

_ARRAYS: Final = ("array", "args")
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
    unknown = next((u for u in map(unknown_of, call.arguments) if u is not None), None) or Unknown(
        "the elements of a collection are not known here", Cause.COLLECTION, None, run.location(call.site)
    )
    if simple in ("Collections", "Arrays") and call.name in _CHANGES and call.arguments:
        lists.forget(run, call.arguments[0], unknown)
        return NULL
    if simple in _MAKES or call.name in ("asList", "copyOf", "copyOfRange", "stream", "nCopies"):
        return ListValue(None, _MAKES.get(simple, "List"), unknown)
    return Opaque(unknown, run.fresh(call.name))


def _arguments(given: Sequence[Value]) -> ListValue | None:
    """The array behind variable arguments; None where it can't be told whether there is one."""
    if len(given) == 1:
        single = given[0]
        if isinstance(single, ListValue) and single.kind in _ARRAYS:
            return single
        if isinstance(single, Opaque) and single.type is None:
            return None
    return ListValue(tuple(boxed(value) for value in given), "array")


def _known(value: ListValue | None) -> Elements:
    if value is None or value.elements is None:
        raise NotKnown
    return value.elements


def _refuse_nulls(elements: Sequence[Value]) -> None:
    if any(is_null(value) for value in elements):
        throw("NullPointerException")


# -- List, Set, Map ------------------------------------------------------------------------------------------------


def _list(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in _known(_arguments(given)))
    elif name == "copyOf":
        elements = _ordered(run, given[0], call)
    else:
        return None
    _refuse_nulls(elements)
    return ListValue(elements, "Immutable")


def _set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        elements = tuple(boxed(value) for value in _known(_arguments(given)))
        _refuse_nulls(elements)
        distinct = lists.added_all(run, ListValue((), "Set"), elements, call)
        if len(distinct) < len(elements):
            throw("IllegalArgumentException")
        return ListValue(distinct, "RandomSet")
    if name == "copyOf":
        source = run.settle(given[0])
        if not isinstance(source, ListValue) or source.elements is None:
            raise NotKnown
        return ListValue(lists.added_all(run, ListValue((), "Set"), source.elements, call), "RandomSet")
    return None


def _map(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of" and len(given) % 2 == 0:
        pairs = tuple((boxed(k), boxed(v)) for k, v in zip(given[::2], given[1::2], strict=True))
    elif name == "entry" and len(given) == 2:
        _refuse_nulls(given)
        return EntryValue((("getKey", boxed(given[0])), ("getValue", boxed(given[1]))))
    elif name == "ofEntries":
        entries = _known(_arguments(given))
        pairs = tuple((e.parts[0][1], e.parts[1][1]) for e in entries if isinstance(e, EntryValue))
        if len(pairs) != len(entries):
            raise NotKnown
    elif name == "copyOf" and isinstance(given[0], MapValue):
        return MapValue(given[0].entries, "random", given[0].unknown, immutable=True)
    else:
        return None
    _refuse_nulls([part for pair in pairs for part in pair])
    if len(lists.added_all(run, ListValue((), "Set"), [k for k, _ in pairs], call)) < len(pairs):
        throw("IllegalArgumentException")
    return MapValue(pairs, "random", immutable=True)


def _ordered(run: Run, value: Value, call: Call) -> Elements:
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    found = collections.ordered(run, value, call)
    if found is None:
        raise NotKnown
    return found


def _guava(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "of":
        return ListValue(tuple(boxed(value) for value in _known(_arguments(given))), "Immutable")
    return ListValue(_ordered(run, given[0], call), "Immutable") if name == "copyOf" else None


def _guava_set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    made = _guava(run, name, given, call)
    if not isinstance(made, ListValue) or made.elements is None:
        return None
    shown = ListValue(lists.added_all(run, ListValue((), "Set"), made.elements, call), "Set")
    return lists.unmodifiable(shown)


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
        single = run.settle(given[0]) if len(given) == 1 else None
        whole_one = isinstance(single, ListValue)
        elements = _ordered(run, single, call) if whole_one and single is not None else tuple(boxed(v) for v in given)
        target = ListValue((), kinds[name])
        return ListValue(lists.added_all(run, target, elements, call), kinds[name])

    return handler


# -- Collections ---------------------------------------------------------------------------------------------------

_CHANGES: Final = frozenset(
    {"sort", "reverse", "addAll", "fill", "swap", "rotate", "shuffle", "setAll", "replaceAll", "parallelSort"}
)


def _collections(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    first = run.settle(given[0]) if given else NULL
    if name in ("emptyList", "emptySet", "emptyMap"):
        if name == "emptyMap":
            return MapValue((), "insertion", immutable=True, rigid=True)
        return lists.rigid((), "List" if name == "emptyList" else "Set")
    if name in ("singletonList", "singleton"):
        return lists.rigid((boxed(given[0]),), "List" if name == "singletonList" else "Set", single=True)
    if name == "singletonMap":
        return MapValue(((boxed(given[0]), boxed(given[1])),), "insertion", immutable=True, rigid=True)
    if name == "nCopies":
        count = whole(given[0])
        if count is None or count > lists.MAX_ELEMENTS:
            raise NotKnown
        if count < 0:
            throw("IllegalArgumentException", f"List length = {count}")
        return lists.rigid((boxed(given[1]),) * count, "List")
    if name.startswith(("unmodifiable", "synchronized", "checked")):
        return _wrapped(name, first)
    if name in _CHANGES and isinstance(first, ListValue):
        return _change(run, name, first, given, call)
    if name in ("max", "min"):
        return _extreme(run, name, _ordered(run, first, call), given[1] if len(given) > 1 else None, call)
    if name == "frequency":
        verdicts = [equality.equal(run, given[1], e, call) for e in _ordered(run, first, call)]
        if None in verdicts:
            raise NotKnown
        return integer(sum(verdict is True for verdict in verdicts))
    if name == "disjoint":
        other = _ordered(run, given[1], call)
        return boolean(all(lists.place_of(run, other, e, call) is None for e in _ordered(run, first, call)))
    return None


def _wrapped(name: str, value: Value) -> Value | None:
    if is_null(value):
        throw("NullPointerException")
    if not name.startswith("unmodifiable"):
        return value
    if isinstance(value, MapValue):
        return maps.MapView(value)
    if isinstance(value, ListValue):
        return lists.unmodifiable(value)
    return None


def _change(run: Run, name: str, target: ListValue, given: list[Value], call: Call) -> Value | None:
    if name == "sort":
        order = given[1] if len(given) > 1 else NULL
        return collections.call(run, target, call.having(name="sort", arguments=[order]))
    if name == "addAll":
        more = _known(_arguments(given[1:]))
        before = len(_known(target))
        for value in more:
            collections.call(run, target, call.having(name="add", arguments=[value]))
        return boolean(len(target.elements or ()) > before or (equality.is_list(target) and bool(more)))
    elements = _known(target)
    size = len(elements)
    if name == "reverse":
        new = elements[::-1]
    elif name == "fill":
        new = (boxed(given[1]),) * size
    elif name == "swap":
        places = [whole(value) for value in given[1:3]]
        for place in places:
            if place is None:
                raise NotKnown
            if not 0 <= place < size:
                throw("IndexOutOfBoundsException", f"Index {place} out of bounds for length {size}")
        changed = list(elements)
        one, other = places[0] or 0, places[1] or 0
        changed[one], changed[other] = changed[other], changed[one]
        new = tuple(changed)
    elif name == "rotate":
        distance = whole(given[1])
        if distance is None:
            raise NotKnown
        cut = -distance % size if size else 0
        new = (*elements[cut:], *elements[:cut])
    else:
        raise NotKnown
    if target.kind in lists.IMMUTABLE and (size > 1 or (name == "fill" and size)):
        throw("UnsupportedOperationException")
    if target.kind not in lists.IMMUTABLE and (new != elements or isinstance(target, View)):
        lists.replace(run, target, new, structural=False)
    return NULL


def _extreme(run: Run, name: str, elements: Elements, order: Value | None, call: Call) -> Value:
    if not elements:
        throw("NoSuchElementException")
    best = elements[0]
    for value in elements[1:]:
        verdict = lists.order(run, value, best, order, call)
        if verdict > 0 if name == "max" else verdict < 0:
            best = value
    return best


# -- Arrays --------------------------------------------------------------------------------------------------------


def _arrays(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    if name == "asList":
        return _as_list(given)
    array = run.settle(given[0]) if given else NULL
    if is_null(array) and name in ("toString", "hashCode"):
        return string("null") if name == "toString" else integer(0)
    if not isinstance(array, ListValue) or array.kind not in _ARRAYS:
        return None
    elements = _known(array)
    match name, len(given):
        case "toString", 1:
            return streams.joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")
        case "stream", 1 | 3:
            return _array_stream(array, elements, given)
        case (("copyOf" | "copyOfRange"), 2 | 3):
            return _copy(array, elements, [whole(value) for value in given[1:]])
        case "equals", 2:
            other = run.settle(given[1])
            if not isinstance(other, ListValue):
                raise NotKnown
            verdict = equality.equal(run, ListValue(elements), ListValue(_known(other)), call)
            if verdict is None:
                raise NotKnown
            return boolean(verdict)
        case "hashCode", 1:
            code = equality.combined([equality.hash_code(run, e, call) for e in elements], 1)
            if code is None:
                raise NotKnown
            return integer(code)
        case (("sort" | "parallelSort"), 1 | 2):
            run.memory.assign(array, "elements", lists.sort(run, elements, given[1] if len(given) == 2 else None, call))
            return NULL
        case "fill", 2:
            run.memory.assign(array, "elements", tuple(stored(e, given[1]) for e in elements))
            return NULL
        case "setAll", 2:
            new = [stored(e, apply(run, given[1], [integer(i)], call)) for i, e in enumerate(elements)]
            run.memory.assign(array, "elements", tuple(new))
            return NULL
    return None


def _as_list(given: list[Value]) -> Value:
    array = _arguments(given)
    if array is None:
        return ListValue(None, "List", unknown_of(given[0]))
    if array.elements is not None and array.elements and primitive_array(array):
        return ListValue((array,), "FixedList")

    def write(run: Run, new: Elements) -> None:
        run.memory.assign(array, "elements", new)

    return View(array, "FixedList", lambda: array.elements, write)


def primitive_array(array: ListValue) -> bool:
    """Whether an array's elements are of a primitive type."""
    first = array.elements[0] if array.elements else None
    return isinstance(first, Constant) and first is not boxed(first)


def stored(old: Value, new: Value) -> Value:
    """A value as an array keeps it where another one of the same type was."""
    if isinstance(old, Constant) and isinstance(new, Constant) and old is not boxed(old):
        unboxed_one = unboxed(new)
        return convert(unboxed_one, old.java) if isinstance(unboxed_one, Constant) else new
    return boxed(new)


def _array_stream(array: ListValue, elements: Elements, given: list[Value]) -> Value:
    first = elements[0] if elements else None
    primitive = first.java if isinstance(first, Constant) and first is not boxed(first) else ""
    primitive = primitive or (array.element if array.element in BOXES else "")
    if len(given) == 3:
        low, high = whole(given[1]), whole(given[2])
        if low is None or high is None:
            raise NotKnown
        return streams.of_values(elements[low:high], primitive)
    return streams.of(array, primitive)


def _copy(array: ListValue, elements: Elements, bounds: list[int | None]) -> Value:
    if None in bounds:
        raise NotKnown
    low, high = (bounds[0] or 0, bounds[1] or 0) if len(bounds) == 2 else (0, bounds[0] or 0)
    if high < 0 or high - low < 0:
        throw("NegativeArraySizeException" if len(bounds) == 1 else "IllegalArgumentException")
    if not 0 <= low <= len(elements):
        throw("ArrayIndexOutOfBoundsException")
    if high > len(elements) and not elements:
        raise NotKnown
    kept = elements[low:high]
    return ListValue((*kept, *[padding(elements)] * (high - low - len(kept))), "array", depends=array.depends)


def padding(elements: Elements) -> Value:
    """The default element of an array with such elements."""
    first = elements[0]
    if not isinstance(first, Constant) or first is boxed(first):
        return NULL
    defaults: dict[str, float | str | bool] = {"boolean": False, "char": "\0", "double": 0.0, "float": 0.0}
    return Constant(defaults.get(first.java, 0), first.java)


# -- streams -------------------------------------------------------------------------------------------------------


def _stream(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    match name, len(given):
        case "empty", 0:
            return streams.of_values(())
        case "ofNullable", 1:
            return streams.of_values(() if is_null(given[0]) else given)
        case "of", _:
            return streams.of_values(_known(_arguments(given)))
        case "concat", 2:
            pair = [run.settle(value) for value in given]
            if not all(isinstance(value, streams.JavaStream) for value in pair):
                raise NotKnown
            first, second = (value for value in pair if isinstance(value, streams.JavaStream))
            return streams.JavaStream(
                lambda run, call: (v for one in (first, second) for v in one.pull(run, call)), first.primitive
            )
        case "generate", 1:
            return streams.generated(None, given)
        case "iterate", 2 | 3:
            return streams.generated(given[0], given[1:])
    return None


def _numbers(primitive: str) -> Handler:
    def handler(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
        if name in ("range", "rangeClosed") and len(given) == 2:
            low, high = whole(given[0]), whole(given[1])
            if low is None or high is None or high - low > 10_000:
                raise NotKnown
            end = high + (name == "rangeClosed")
            return streams.of_values([Constant(i, primitive) for i in range(low, end)], primitive)
        made = _stream(run, name, given, call)
        if isinstance(made, streams.JavaStream):
            made.primitive = primitive
        return made

    return handler


# -- enums ---------------------------------------------------------------------------------------------------------


def _constants(run: Run, value: Value) -> Elements:
    from checker.extract.java.interpreter import objects

    if not isinstance(value, ClassLiteral) or not isinstance(value.type, ClassDecl):
        raise NotKnown
    objects.ensure_initialized(run, value.type)
    values = run.statics.get(run.static_key(value.type, "$VALUES"))
    if not isinstance(values, ListValue):
        raise NotKnown
    return _known(values)


def enum_of(run: Run, constant: Instance) -> ClassDecl:
    """The enum of a constant, which may have a body of its own."""
    parent = run.index.superclass(constant.decl)
    return parent if isinstance(parent, ClassDecl) and not constant.decl.enum_constants else constant.decl


def _enum_set(run: Run, name: str, given: list[Value], call: Call) -> Value | None:
    match name:
        case "allOf":
            return ListValue(_constants(run, given[0]), "TreeSet")
        case "noneOf":
            return ListValue((), "TreeSet")
        case "of":
            flat = [v for g in given for v in (_known(g) if isinstance(g, ListValue) and g.kind == "array" else (g,))]
            return ListValue(lists.added_all(run, ListValue((), "TreeSet"), flat, call), "TreeSet")
        case "copyOf":
            return ListValue(
                lists.added_all(run, ListValue((), "TreeSet"), _ordered(run, given[0], call), call), "TreeSet"
            )
        case "range" | "complementOf":
            first = given[0]
            if name == "complementOf":
                kept = _ordered(run, first, call)
                first = kept[0] if kept else NULL
            if not isinstance(first, Instance) or first.name is None:
                raise NotKnown
            values = run.statics.get(run.static_key(enum_of(run, first), "$VALUES"))
            everything = _known(values) if isinstance(values, ListValue) else None
            if everything is None:
                raise NotKnown
            if name == "complementOf":
                return ListValue(tuple(v for v in everything if not any(v is k for k in kept)), "TreeSet")
            low, high = everything.index(given[0]), everything.index(given[1])
            return ListValue(everything[low : high + 1], "TreeSet")
    return None


_CLASSES: Final[dict[str, Handler]] = {
    "List": _list, "Set": _set, "Map": _map, "Collections": _collections, "Arrays": _arrays, "Stream": _stream,
    "IntStream": _numbers("int"), "LongStream": _numbers("long"), "DoubleStream": _numbers("double"),
    "EnumSet": _enum_set, "ImmutableList": _guava, "ImmutableSet": _guava_set, "ImmutableMap": _guava_map,
    "Lists": _new("List"), "Sets": _new("Set"),
}  # fmt: skip


# -- constructors --------------------------------------------------------------------------------------------------

_LISTS: Final = {
    "ArrayList": "List", "LinkedList": "LinkedList", "CopyOnWriteArrayList": "CopyList", "ArrayDeque": "Deque",
    "Vector": "List", "Stack": "List", "HashSet": "HashSet", "LinkedHashSet": "Set", "TreeSet": "TreeSet",
    "PriorityQueue": "Queue", "ConcurrentLinkedQueue": "Deque", "ConcurrentLinkedDeque": "Deque",
    "ConcurrentSkipListSet": "TreeSet", "CopyOnWriteArraySet": "Set",
}  # fmt: skip
_MAPS: Final = {
    "HashMap": "hash", "LinkedHashMap": "insertion", "TreeMap": "sorted", "ConcurrentHashMap": "random",
    "Properties": "random", "EnumMap": "sorted", "Hashtable": "random", "ConcurrentSkipListMap": "sorted",
}  # fmt: skip


def create(run: Run, simple: str, call: Call) -> Value | None:
    """``new`` of a collection, None where the class is not modelled."""
    if simple not in _LISTS and simple not in _MAPS:
        return None
    given = [run.settle(value) for value in call.arguments]
    try:
        if simple not in _LISTS:
            return _new_map(run, simple, given, call)
        made = _new_list(run, _LISTS[simple], given, call)
        if isinstance(made, ListValue):
            made.vector = simple in ("Vector", "Stack")
        return made
    except NotKnown:
        unknown = next((u for u in map(unknown_of, given) if u is not None), None)
        if simple in _LISTS:
            return ListValue(None, _LISTS[simple], unknown)
        return MapValue(None, _MAPS[simple], unknown)


def _size(value: Value) -> int | None:
    return whole(value) if isinstance(value, Constant) else None


def _new_list(run: Run, kind: str, given: list[Value], call: Call) -> Value:
    made = ListValue((), kind)
    if not given:
        return made
    size = _size(given[0])
    if size is not None:
        if size < 0:
            throw("IllegalArgumentException")
        if kind == "HashSet":
            made.table = lists.table_for(max(size, 1))
        return made
    if kind in ("TreeSet", "Queue") and (is_null(given[0]) or is_function(given[0]) or _is_comparator(given[0])):
        made.comparator = given[0]
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if isinstance(source, ListValue):
        made.depends = source.depends
        if kind == "TreeSet" and source.kind == "TreeSet":
            made.comparator = source.comparator
    if isinstance(source, ListValue) and source.kind == "RandomSet" and (equality.is_set(made) and kind == "TreeSet"):
        elements: Elements = _known(source)
    elif isinstance(source, ListValue) and source.kind == "RandomSet" and kind == "HashSet":
        elements = _known(source)
        if lists.hash_order(run, elements, lists.made_for(len(elements)), call) != lists.hash_order(
            run, elements[::-1], lists.made_for(len(elements)), call
        ):
            raise NotKnown
    else:
        elements = _ordered(run, source, call)
    made.elements = lists.added_all(run, made, elements, call)
    if kind == "HashSet":
        made.table = lists.made_for(len(elements))
    return made


def _is_comparator(value: Value) -> bool:
    return isinstance(value, function_objects.LibraryFunction)


def _new_map(run: Run, simple: str, given: list[Value], call: Call) -> Value:
    order = _MAPS[simple]
    made = MapValue((), order)
    if not given or isinstance(given[0], ClassLiteral):
        return made
    size = _size(given[0])
    if size is not None:
        made.table = lists.table_for(max(size, 1))
        return made
    if order == "sorted" and (is_null(given[0]) or is_function(given[0]) or _is_comparator(given[0])):
        made.comparator = given[0]
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if not isinstance(source, MapValue):
        raise NotKnown
    if simple == "Properties":
        made.defaults = source
        return made
    entries = maps.in_order(run, source, call)
    if entries is None and source.entries is not None:
        entries = _order_free(run, order, source, call)
    if entries is None:
        raise NotKnown
    if order == "sorted" and source.order == "sorted":
        made.comparator = source.comparator
    if order == "hash":
        made.table = max(1, lists.table_for(int(len(entries) / 0.75 + 1)))
    made.entries = entries
    return made


def _order_free(run: Run, order: str, source: MapValue, call: Call) -> maps.Entries | None:
    """The entries of a map without order, where the new one's order does not depend on it."""
    entries = source.entries or ()
    if order in ("sorted", "random"):
        return entries
    if order == "hash":
        keys = tuple(key for key, _ in entries)
        table = max(1, lists.table_for(int(len(entries) / 0.75 + 1)))
        one, other = lists.hash_order(run, keys, table, call), lists.hash_order(run, keys[::-1], table, call)
        return entries if one is not None and one == other else None
    return None


def text_of_collection(run: Run, value: ListValue | MapValue | EntryValue, call: Call | None) -> Value | None:
    """``toString()``, None where it is not known."""
    try:
        if isinstance(value, MapValue):
            entries = maps.in_order(run, value, call)
            if entries is None:
                return None
            pairs = [_pair(run, key, held) for key, held in entries]
            return streams.joined(run, pairs, ", ", "{", "}")
        if isinstance(value, EntryValue):
            if value.parts and value.parts[0][0] == "getKey":
                return _pair(run, value.parts[0][1], value.parts[1][1])
            return streams.joined(run, [operators.as_text(run, part) for _, part in value.parts], ",", "(", ")")
        if value.kind in ("array", "args", "Stream"):
            return None
        elements = lists.in_order(run, value, call)
    except NotKnown:
        return None
    if elements is None:
        return None
    return streams.joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")


def _pair(run: Run, key: Value, value: Value) -> Value:
    return operators.concat(run, [operators.as_text(run, key), string("="), operators.as_text(run, value)], None)
