"""Lists, sets, queues, arrays, their views and iterators: every change and every exception as Java makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.library.function_objects import apply, test
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import OF_COLLECTIONS, throw
from checker.extract.java.machine.frames import LimitSignal
from checker.extract.java.machine.numbers import boxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    EntryValue,
    IteratorValue,
    ListValue,
    MapValue,
    Opaque,
    Value,
    Version,
    boolean,
    depends_of,
    integer,
    is_null,
    unknown_of,
)
from checker.model.topology import Cause, Unknown

Elements = tuple[Value, ...]
MAX_ELEMENTS: Final = 20_000
IMMUTABLE: Final = frozenset({"Immutable", "RandomSet"})
_NO_NULLS: Final = frozenset({"Deque", "Queue", "Immutable", "RandomSet"})


class NotKnown(Exception):  # noqa: N818 - becomes an unknown result
    """A model can't tell a result that depends on what is not known."""


class View(ListValue):
    """A collection that shows another one: read through, and changed through where ``write`` is given."""

    __slots__ = ("read", "root", "write")

    def __init__(
        self, root: ListValue | MapValue, kind: str, read: Callable[[], Elements | None],
        write: Callable[[Run, Elements], None] | None = None,
    ) -> None:  # fmt: skip
        self.root, self.kind, self.read, self.write = root, kind, read, write
        self.depends: frozenset[str] = frozenset()
        self.born = root.born
        self.comparator = None
        self.table = 16
        self.vector = isinstance(root, ListValue) and root.vector

    @property
    def elements(self) -> Elements | None:  # type: ignore[override]
        """What the other collection has now."""
        return self.read()

    @property
    def unknown(self) -> Unknown | None:  # type: ignore[override]
        """Why that is not known."""
        return self.root.unknown

    @property
    def version(self) -> Version | None:  # type: ignore[override]
        """The state of the other collection."""
        return self.root.version


class SubList(View):
    """``subList``: its bounds are its own, whatever list it shows."""

    __slots__ = ()


class Rigid(View):
    """A list or set of ``Collections`` (``nCopies``, ``singleton``, ``emptyList``), or a view of ``Map.of``.

    Unlike those of ``List.of`` it refuses only what would change it (``AbstractCollection``).
    """

    __slots__ = ("single",)

    def __init__(
        self, root: ListValue | MapValue, kind: str, read: Callable[[], Elements | None], *, single: bool = False
    ) -> None:
        View.__init__(self, root, kind, read, self._refuse)
        self.single = single

    def _refuse(self, run: Run, new: Elements) -> None:
        old = self.read()
        if old is None:
            raise NotKnown
        if len(new) != len(old) or any(a is not b for a, b in zip(new, old, strict=True)):
            throw("UnsupportedOperationException")


def rigid(elements: Elements, kind: str, *, single: bool = False) -> Rigid:
    """A collection of ``Collections`` with these elements."""
    root = ListValue(elements, kind)
    return Rigid(root, kind, lambda: root.elements, single=single)


def unmodifiable(value: ListValue) -> ListValue:
    """``Collections.unmodifiableList`` and the like."""
    kind = value.kind
    if kind in IMMUTABLE:
        return value
    return View(value, kind, lambda: value.elements)


# -- changes -------------------------------------------------------------------------------------------------------


def replace(run: Run, receiver: ListValue, elements: Elements, *, structural: bool = True) -> None:
    """Give a collection other elements."""
    if len(elements) > MAX_ELEMENTS:
        raise LimitSignal(f"a collection of more than {MAX_ELEMENTS:,} elements")
    if isinstance(receiver, View):
        if receiver.write is None:
            throw("UnsupportedOperationException")
        receiver.write(run, elements)
        return
    run.memory.assign(receiver, "elements", elements)
    if receiver.kind == "HashSet" and isinstance(receiver.table, int) and len(elements) > receiver.table * 0.75:
        table = receiver.table
        while len(elements) > table * 0.75:
            table *= 2
        run.memory.assign(receiver, "table", table)
    if structural:
        run.memory.assign(receiver, "version", Version())


def forget(run: Run, receiver: Value, unknown: Unknown) -> None:
    """The content of a collection, or of the one behind a view, is not known any more."""
    while isinstance(receiver, ListValue | MapValue) and hasattr(receiver, "root"):
        receiver = receiver.root
    if isinstance(receiver, ListValue) and receiver.kind != "args":
        run.memory.assign(receiver, "elements", None)
    elif isinstance(receiver, MapValue):
        run.memory.assign(receiver, "entries", None)
    else:
        return
    run.memory.assign(receiver, "unknown", unknown)
    run.memory.assign(receiver, "version", Version())


def no_nulls(receiver: ListValue, value: Value) -> None:
    """Throw where a collection refuses null."""
    if is_null(value) and (receiver.kind in _NO_NULLS or (receiver.kind == "TreeSet" and receiver.comparator is None)):
        throw("NullPointerException")


def place_of(run: Run, elements: Elements, value: Value, call: Call | None) -> int | None:
    """Where the first element stands that equals a value, None where none does."""
    for place, element in enumerate(elements):
        verdict = equality.equal(run, value, element, call)
        if verdict is None:
            raise NotKnown
        if verdict:
            return place
    return None


def _has(run: Run, receiver: ListValue, elements: Elements, value: Value, call: Call) -> int | None:
    if receiver.kind != "TreeSet":
        return place_of(run, elements, value, call)
    no_nulls(receiver, value)
    for place, element in enumerate(elements):
        if order(run, value, element, receiver.comparator, call) == 0:
            return place
    return None


def order(run: Run, left: Value, right: Value, comparator: Value | None, call: Call | None) -> int:
    """How two values compare. Raises NotKnown."""
    """How two values compare. Raises NotKnown."""
    if (comparator is None or is_null(comparator)) and (is_null(left) or is_null(right)):
        throw("NullPointerException")
    result = equality.compare(run, left, right, comparator, call)
    if result is None:
        raise NotKnown
    return result


def sort(run: Run, elements: Sequence[Value], comparator: Value | None, call: Call | None) -> Elements:
    """Sorted as ``List.sort`` does, stable."""
    if len(elements) < 2:
        return tuple(elements)

    def compared(left: Value, right: Value) -> int:
        return order(run, left, right, comparator, call)

    return tuple(sorted(elements, key=cmp_to_key(compared)))


def added(run: Run, receiver: ListValue, elements: Elements, value: Value, call: Call) -> Elements:
    """The elements after ``add``, the same object where nothing changes."""
    no_nulls(receiver, value)
    if equality.is_set(receiver) and _has(run, receiver, elements, value, call) is not None:
        return elements
    if receiver.kind == "TreeSet" and not elements:
        order(run, value, value, receiver.comparator, call)
    return (*elements, value)


def added_all(run: Run, receiver: ListValue, values: Sequence[Value], call: Call) -> Elements:
    """The elements after all values have been added one by one."""
    elements = receiver.elements or ()
    for value in values:
        elements = added(run, receiver, elements, value, call)
    return elements


def _bounds(receiver: ListValue, size: int) -> str:
    """What an index out of bounds throws: ``List.of`` of three and more, ``Arrays.asList`` and vectors ask an array."""
    in_array = receiver.vector or receiver.kind == "FixedList" or (receiver.kind in IMMUTABLE and size not in (1, 2))
    in_array = in_array and not isinstance(receiver, SubList)
    return "ArrayIndexOutOfBoundsException" if in_array else "IndexOutOfBoundsException"


def _index(value: Value, size: int, thrown: str = "IndexOutOfBoundsException") -> int:
    place = whole(value)
    if place is None:
        raise NotKnown
    if not 0 <= place < size:
        throw(thrown, f"Index {place} out of bounds for length {size}")
    return place


# -- order ---------------------------------------------------------------------------------------------------------


def in_order(run: Run, value: ListValue, call: Call | None) -> Elements | None:
    """The elements as an iteration meets them, None for contents and orders that can't be told."""
    elements = value.elements
    if elements is None or len(elements) < 2:
        return elements
    if value.kind == "RandomSet":
        return None
    if value.kind == "TreeSet":
        return sort(run, elements, value.comparator, call)
    if value.kind == "HashSet" and not isinstance(value, View):
        return hash_order(run, elements, value.table, call)
    if value.kind == "HashSet" and isinstance(value, View) and isinstance(value.root, ListValue):
        return in_order(run, value.root, call)
    return elements if value.kind != "Queue" else None


def hash_order(run: Run, keys: Sequence[Value], table: int, call: Call | None) -> Elements | None:
    """Keys in the order of a hash table's buckets, None where a hash code is not known."""
    if not isinstance(table, int):
        return None
    placed: list[tuple[int, int, Value]] = []
    for number, key in enumerate(keys):
        code = equality.hash_code(run, key, call)
        if code is None:
            return None
        code &= 0xFFFFFFFF
        placed.append(((code ^ (code >> 16)) & (table - 1), number, key))
    buckets = [bucket for bucket, _, _ in placed]
    if any(buckets.count(bucket) > 7 for bucket in set(buckets)):
        return None  # a tree, or a table that grew early
    return tuple(key for _, _, key in sorted(placed, key=lambda item: item[:2]))


def table_for(size: float) -> int:
    """The table of a hash map made for a number of entries."""
    table = 1
    while table < size:
        table *= 2
    return table


def made_for(count: int) -> int:
    """The table of ``new HashSet<>(collection)``."""
    return table_for(max(int(count / 0.75) + 1, 16))


# -- calls ---------------------------------------------------------------------------------------------------------


def call(run: Run, receiver: ListValue, request: Call) -> Value | None:
    """A method of a collection or array; None where it is not modelled."""
    try:
        return _call(run, receiver, request)
    except NotKnown:
        return _not_known(run, receiver, request)


CHANGES: Final = frozenset(
    {
        "add", "addAll", "remove", "clear", "set", "addFirst", "addLast", "push", "offer", "offerLast", "offerFirst",
        "sort", "removeIf", "removeAll", "retainAll", "replaceAll", "poll", "pop", "pollFirst", "pollLast",
        "removeFirst", "removeLast", "addElement", "insertElementAt", "removeElement", "removeAllElements",
        "removeFirstOccurrence", "removeLastOccurrence", "setElementAt",
    }
)  # fmt: skip
_QUEUES: Final = frozenset({"Deque", "LinkedList", "Queue"})


def _not_known(run: Run, receiver: ListValue, request: Call) -> Value:
    unknown = next((u for u in map(unknown_of, request.arguments) if u is not None), None) or Unknown(
        "the elements of a collection are not known here", Cause.COLLECTION, None, run.location(request.site)
    )
    run.may_throw_any(OF_COLLECTIONS, unknown, receiver, *request.arguments)
    if request.name in CHANGES:
        forget(run, receiver, unknown)
    return Opaque(unknown, run.fresh(request.name), None, receiver.depends | depends_of(*request.arguments))


def _call(run: Run, receiver: ListValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    if receiver.elements is None:
        return None
    immutable = receiver.kind in IMMUTABLE or (isinstance(receiver, View) and receiver.write is None)
    if name in CHANGES:
        if immutable:
            return throw("UnsupportedOperationException")
        if isinstance(receiver, Rigid) and _refused(receiver, name, request):
            return throw("UnsupportedOperationException")
        return _change(run, receiver, name, given, request)
    if name in ("size", "isEmpty"):
        size = len(receiver.elements)
        return integer(size, receiver.depends) if name == "size" else boolean(not size, receiver.depends)
    if name in ("contains", "containsAll"):
        if is_null(given[0]) and receiver.kind in IMMUTABLE:
            throw("NullPointerException")
        wanted = [given[0]] if name == "contains" else _elements(run, given[0], request)
        found = [_has(run, receiver, receiver.elements, value, request) is not None for value in wanted]
        return boolean(all(found), receiver.depends | depends_of(*given))
    if name == "equals" and len(given) == 1:
        if receiver.kind in ("array", "args"):
            return boolean(receiver is given[0]) if isinstance(given[0], ListValue) else None
        verdict = equality.equal(run, receiver, given[0], request)
        return boolean(verdict) if verdict is not None else None
    if name == "hashCode" and not given:
        code = equality.hash_code(run, receiver, request)
        return integer(code) if code is not None else None
    elements = in_order(run, receiver, request)
    if elements is None:
        return _unordered(run, receiver, name, given, request)
    return _query(run, receiver, elements, name, given, request)


def _refused(receiver: Rigid, name: str, request: Call) -> bool:
    """Whether a rigid collection refuses a change without looking at what it would change."""
    if name in ("add", "set") or (name == "removeIf" and receiver.single):
        return True
    if name in ("replaceAll", "sort"):
        return bool(receiver.elements) and not (receiver.single and name == "sort")
    first = request.arguments[0] if request.arguments else None
    return name == "remove" and equality.is_list(receiver) and isinstance(first, Constant) and first.java in _PLACES


_PLACES: Final = frozenset({"int", "short", "byte", "char"})


def _unordered(run: Run, receiver: ListValue, name: str, given: list[Value], request: Call) -> Value | None:
    """What can be told of elements in an order that can't."""
    unknown = Unknown("the order of a set's elements is not known", Cause.COLLECTION, None, run.location(request.site))
    if name in ("stream", "iterator", "toArray"):
        return ListValue(None, "Stream" if name == "stream" else "List", unknown)
    return None


def _elements(run: Run, value: Value, request: Call) -> Elements:
    from checker.extract.java.library import collections

    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    found = collections.ordered(run, value, request)
    if found is None:
        raise NotKnown
    return found


def _change(run: Run, receiver: ListValue, name: str, given: list[Value], request: Call) -> Value | None:
    elements = receiver.elements
    assert elements is not None
    fixed = receiver.kind == "FixedList"
    match name, len(given):
        case (("add" | "addLast" | "offer" | "offerLast" | "addElement"), 1):
            if fixed:
                throw("UnsupportedOperationException")
            new = added(run, receiver, elements, given[0], request)
            if new is not elements:
                replace(run, receiver, new)
            return boolean(new is not elements) if name in ("add", "offer", "offerLast") else NULL
        case (("push" | "addFirst" | "offerFirst"), 1):
            if receiver.kind == "List":  # java.util.Stack pushes at its end
                replace(run, receiver, (*elements, given[0]))
                return given[0]
            no_nulls(receiver, given[0])
            replace(run, receiver, (given[0], *elements))
            return boolean(True) if name == "offerFirst" else NULL
        case (("add" | "insertElementAt"), 2):
            if fixed:
                throw("UnsupportedOperationException")
            if name != "add":
                given.reverse()
            thrown = "ArrayIndexOutOfBoundsException" if receiver.vector else "IndexOutOfBoundsException"
            place = _index(given[0], len(elements) + 1, thrown)
            replace(run, receiver, (*elements[:place], given[1], *elements[place:]))
            return NULL
        case (("set" | "setElementAt"), 2):
            if name != "set":
                given.reverse()
            place = _index(given[0], len(elements), _bounds(receiver, len(elements)))
            replace(run, receiver, (*elements[:place], given[1], *elements[place + 1 :]), structural=False)
            return elements[place] if name == "set" else NULL
        case "addAll", 1 | 2:
            return _add_all(run, receiver, elements, given, request)
        case "clear" | "removeAllElements", 0:
            if fixed and elements:
                throw("UnsupportedOperationException")
            replace(run, receiver, ())
            return NULL
        case "sort", 1:
            ordered = sort(run, elements, given[0], request)
            replace(run, receiver, ordered, structural=receiver.kind == "List")
            return NULL
        case "replaceAll", 1:
            new = tuple(apply(run, given[0], [element], request) for element in elements)
            replace(run, receiver, new, structural=False)
            return NULL
        case "removeIf" | "removeAll" | "retainAll", 1:
            return _remove_many(run, receiver, name, given[0], request)
    return _remove(run, receiver, elements, name, given, request)


def _add_all(run: Run, receiver: ListValue, elements: Elements, given: list[Value], request: Call) -> Value:
    more = _elements(run, given[-1], request)
    if receiver.kind == "FixedList":
        if not more:
            return boolean(False)
        throw("UnsupportedOperationException")
    if len(given) == 2:
        thrown = "ArrayIndexOutOfBoundsException" if receiver.vector else "IndexOutOfBoundsException"
        place = _index(given[0], len(elements) + 1, thrown)
        replace(run, receiver, (*elements[:place], *more, *elements[place:]))
        return boolean(bool(more))
    new = elements
    for value in more:
        new = added(run, receiver, new, value, request)
    replace(run, receiver, new, structural=new is not elements or receiver.kind == "List")
    return boolean(len(new) > len(elements))


def _remove_many(run: Run, receiver: ListValue, name: str, given: Value, request: Call) -> Value:
    elements = in_order(run, receiver, request)
    if elements is None:
        raise NotKnown
    if name == "removeIf":
        gone = [test(run, given, [element], request) for element in elements]
    else:
        other = _elements(run, given, request)
        gone = [(place_of(run, other, element, request) is not None) is (name == "removeAll") for element in elements]
    if not any(gone):
        return boolean(False)
    if receiver.kind == "FixedList":
        throw("UnsupportedOperationException")
    kept = [element for element, leaves in zip(elements, gone, strict=True) if not leaves]
    if equality.is_set(receiver):  # in their old order, which tells the order within a bucket
        kept = [e for e in receiver.elements or () if any(e is other for other in kept)]
    replace(run, receiver, tuple(kept))
    return boolean(True)


_ENDS: Final = {
    "remove": 0, "poll": 0, "pop": 0, "pollFirst": 0, "pollLast": -1, "removeFirst": 0, "removeLast": -1,
    "getFirst": 0, "getLast": -1, "peek": 0, "peekFirst": 0, "peekLast": -1, "element": 0, "first": 0, "last": -1,
    "firstElement": 0, "lastElement": -1,
}  # fmt: skip


def _remove(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    if name in ("remove", "removeElement", "removeFirstOccurrence") and len(given) == 1:
        argument = request.arguments[0]
        by_place = isinstance(argument, Constant) and argument.java in _PLACES
        if name == "remove" and equality.is_list(receiver) and by_place:
            if receiver.kind == "FixedList":
                throw("UnsupportedOperationException")
            place: int | None = _index(given[0], len(elements), _bounds(receiver, len(elements)))
        elif name == "remove" and equality.is_list(receiver) and isinstance(argument, Opaque) and argument.type is None:
            raise NotKnown
        else:
            place = _has(run, receiver, elements, given[0], request)
        if place is None:
            return boolean(False)
        if receiver.kind == "FixedList":
            throw("UnsupportedOperationException")
        replace(run, receiver, (*elements[:place], *elements[place + 1 :]))
        return elements[place] if equality.is_list(receiver) and by_place and name == "remove" else boolean(True)
    if given or name not in _ENDS:
        return None
    return _end(run, receiver, name, request)


def _end(run: Run, receiver: ListValue, name: str, request: Call) -> Value | None:
    """The first or last element, removed or only looked at."""
    elements = receiver.elements
    assert elements is not None
    if receiver.kind == "Queue":
        elements = sort(run, elements, receiver.comparator, request)
    elif equality.is_set(receiver):
        ordered = in_order(run, receiver, request)
        if ordered is None:
            raise NotKnown
        elements = ordered
    stack = receiver.kind == "List"
    if name in ("pop", "peek") and stack:
        if not elements:
            throw("EmptyStackException")
        place = len(elements) - 1
    elif not elements:
        if name in ("peek", "peekFirst", "peekLast", "poll", "pollFirst", "pollLast"):
            return NULL
        throw("NoSuchElementException")
    else:
        place = 0 if _ENDS[name] == 0 else len(elements) - 1
    if name.startswith(("remove", "poll", "pop")):
        gone = elements[place]
        kept = (*elements[:place], *elements[place + 1 :])
        if equality.is_set(receiver):
            kept = tuple(e for e in receiver.elements or () if e is not gone)
        replace(run, receiver, kept)
    return elements[place]


def _query(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    depends = receiver.depends
    if name in _ENDS and not given:
        return _end(run, receiver, name, request)
    match name, len(given):
        case (("get" | "elementAt"), 1):
            return elements[_index(given[0], len(elements), _bounds(receiver, len(elements)))]
        case (("indexOf" | "lastIndexOf"), 1) if is_null(given[0]) and receiver.kind in IMMUTABLE:
            throw("NullPointerException")
        case "indexOf", 1:
            place = place_of(run, elements, given[0], request)
            return integer(-1 if place is None else place, depends)
        case "lastIndexOf", 1:
            place = place_of(run, elements[::-1], given[0], request)
            return integer(-1 if place is None else len(elements) - 1 - place, depends)
        case (("stream" | "parallelStream"), 0):
            from checker.extract.java.library import streams

            return streams.of(receiver)
        case "iterator" | "listIterator", 0:
            source = receiver if not isinstance(receiver, View) or receiver.write is not None else None
            return IteratorValue(elements, 0, source=source or receiver, version=receiver.version)
        case "listIterator", 1:
            return IteratorValue(
                elements, _index(given[0], len(elements) + 1), source=receiver, version=receiver.version
            )
        case "descendingIterator", 0:
            return IteratorValue(elements[::-1], 0, source=receiver, version=receiver.version)
        case "forEach", 1:
            return _for_each(run, receiver, elements, given[0], request)
        case "toArray", _:
            return ListValue(elements, "array", depends=depends)
        case "clone", 0:
            if receiver.kind in ("array", "args"):
                return ListValue(elements, "array", depends=depends)
            made = ListValue(receiver.elements, receiver.kind, depends=depends, comparator=receiver.comparator)
            made.table = receiver.table
            return made
        case "subList", 2:
            return _sub_list(receiver, elements, given)
        case (("descendingSet" | "headSet" | "tailSet" | "subSet" | "ceiling" | "floor" | "higher" | "lower"), _):
            return _navigate(run, receiver, elements, name, given, request)
        case "asIterator", 0:
            return IteratorValue(elements)
    return None


def _for_each(run: Run, receiver: ListValue, elements: Elements, function: Value, request: Call) -> Value:
    version = receiver.version
    for element in elements:
        apply(run, function, [element], request)
        if receiver.version is not version and receiver.kind in ("List", "Deque", "Set"):
            if receiver.version is None or version is None or receiver.kind != "List":
                raise NotKnown
            throw("ConcurrentModificationException")
    if receiver.version is not version:
        if receiver.version is None or version is None:
            raise NotKnown
        throw("ConcurrentModificationException")
    return NULL


def _sub_list(receiver: ListValue, elements: Elements, given: list[Value]) -> Value:
    bounds = [whole(value) for value in given]
    low, high = bounds[0], bounds[1]
    if low is None or high is None:
        raise NotKnown
    size = len(elements)
    if low < 0:
        throw("IndexOutOfBoundsException", f"fromIndex = {low}")
    if high > size:
        throw("IndexOutOfBoundsException", f"toIndex = {high}")
    if low > high:
        throw("IllegalArgumentException", f"fromIndex({low}) > toIndex({high})")
    if receiver.kind in IMMUTABLE or (isinstance(receiver, View) and receiver.write is None):
        return SubList(receiver, receiver.kind, lambda: (receiver.elements or ())[low:high])
    if isinstance(receiver, Rigid):
        return Rigid(receiver, receiver.kind, lambda: (receiver.elements or ())[low:high])
    rest = size - high

    def read() -> Elements | None:
        now = receiver.elements
        return now[low : len(now) - rest] if now is not None and len(now) >= low + rest else None

    def write(run: Run, new: Elements) -> None:
        now = receiver.elements
        assert now is not None
        replace(run, receiver, (*now[:low], *new, *now[len(now) - rest :]))

    return SubList(receiver, receiver.kind, read, write)


def snapshot(root: ListValue | MapValue, kind: str, elements: Elements) -> View:
    """A view that is only followed for as long as nothing changes."""
    version = root.version
    return View(root, kind, lambda: elements if version is not None and root.version is version else None, _no_write)


def _no_write(run: Run, elements: Elements) -> None:
    raise NotKnown


def _navigate(
    run: Run, receiver: ListValue, elements: Elements, name: str, given: list[Value], request: Call
) -> Value | None:
    if receiver.kind != "TreeSet":
        return None
    if name == "descendingSet":
        return snapshot(receiver, "Set", elements[::-1])
    orders = [order(run, element, given[0], receiver.comparator, request) for element in elements]
    pairs = list(zip(elements, orders, strict=True))
    match name, len(given):
        case "ceiling", 1:
            return next((e for e, o in pairs if o >= 0), NULL)
        case "higher", 1:
            return next((e for e, o in pairs if o > 0), NULL)
        case "floor", 1:
            return next((e for e, o in reversed(pairs) if o <= 0), NULL)
        case "lower", 1:
            return next((e for e, o in reversed(pairs) if o < 0), NULL)
        case "headSet", 1:
            return snapshot(receiver, "Set", tuple(e for e, o in pairs if o < 0))
        case "tailSet", 1:
            return snapshot(receiver, "Set", tuple(e for e, o in pairs if o >= 0))
    return None


# -- iterators -----------------------------------------------------------------------------------------------------


def iterator_call(run: Run, receiver: IteratorValue, request: Call) -> Value | None:
    """A method of an iterator."""
    name, given = request.name, [boxed(value) for value in request.arguments]
    source = receiver.source
    if not isinstance(receiver.place, int) or receiver.place < 0 or receiver.elements is None:
        raise NotKnown  # moved on one side of a condition, or in a loop of unknown length
    match name, len(given):
        case (("hasNext" | "hasMoreElements"), 0):
            size = len(receiver.elements)
            if source is not None and source.version is not receiver.version and equality.is_list(source):
                if source.elements is None:
                    return None
                size = len(source.elements)  # ArrayList compares its place with its size
            return boolean(receiver.place != size)
        case (("next" | "nextElement"), 0):
            _check(receiver)
            if receiver.place >= len(receiver.elements):
                throw("NoSuchElementException")
            _move(run, receiver, receiver.place + 1, receiver.place)
            return receiver.elements[receiver.place - 1]
        case "hasPrevious", 0:
            return boolean(receiver.place > 0)
        case "previous", 0:
            _check(receiver)
            if receiver.place <= 0:
                throw("NoSuchElementException")
            _move(run, receiver, receiver.place - 1, receiver.place - 1)
            return receiver.elements[receiver.place]
        case "nextIndex", 0:
            return integer(receiver.place)
        case "previousIndex", 0:
            return integer(receiver.place - 1)
        case "remove", 0:
            return _iterator_remove(run, receiver, request)
        case (("set" | "add"), 1):
            return _iterator_write(run, receiver, name, given[0])
        case "forEachRemaining", 1:
            for element in receiver.elements[receiver.place :]:
                _check(receiver)
                apply(run, given[0], [element], request)
            run.memory.assign(receiver, "place", len(receiver.elements))
            return NULL
    return None


def _check(receiver: IteratorValue) -> None:
    if receiver.source is not None and receiver.source.version is not receiver.version:
        if receiver.source.version is None or receiver.version is None:
            raise NotKnown
        if receiver.source.kind == "Queue" or receiver.source.kind == "Deque":
            raise NotKnown
        throw("ConcurrentModificationException")


def _move(run: Run, receiver: IteratorValue, place: int, last: int | None) -> None:
    run.memory.assign(receiver, "place", place)
    run.memory.assign(receiver, "last", last)


def _changeable(receiver: IteratorValue) -> ListValue:
    source = receiver.source
    if source is None or source.kind in IMMUTABLE or (isinstance(source, View) and source.write is None):
        throw("UnsupportedOperationException")
    return source


def _iterator_remove(run: Run, receiver: IteratorValue, request: Call) -> Value:
    source = _changeable(receiver)
    if source.kind == "FixedList":
        throw("UnsupportedOperationException")
    if receiver.last is None:
        throw("IllegalStateException")
    _check(receiver)
    gone, elements = receiver.elements[receiver.last], source.elements
    if elements is None:
        raise NotKnown
    place = receiver.last
    if place >= len(elements) or elements[place] is not gone:
        place = next((i for i, element in enumerate(elements) if _same_element(element, gone)), -1)
    if place < 0:
        raise NotKnown
    replace(run, source, (*elements[:place], *elements[place + 1 :]))
    run.memory.assign(
        receiver, "elements", (*receiver.elements[: receiver.last], *receiver.elements[receiver.last + 1 :])
    )
    run.memory.assign(receiver, "version", source.version)
    _move(run, receiver, receiver.place - (receiver.last < receiver.place), None)
    return NULL


def _same_element(left: Value, right: Value) -> bool:
    """The same object; entries of a map are the same where their keys are."""
    if isinstance(left, EntryValue) and isinstance(right, EntryValue):
        return left.parts[0][1] is right.parts[0][1]
    return left is right


def _iterator_write(run: Run, receiver: IteratorValue, name: str, value: Value) -> Value:
    source = _changeable(receiver)
    _check(receiver)
    elements = source.elements
    if elements is None or not equality.is_list(source):
        raise NotKnown
    if name == "set":
        if receiver.last is None:
            throw("IllegalStateException")
        new = (*elements[: receiver.last], value, *elements[receiver.last + 1 :])
        replace(run, source, new, structural=False)
        run.memory.assign(receiver, "elements", new)
        return NULL
    if source.kind == "FixedList":
        throw("UnsupportedOperationException")
    new = (*elements[: receiver.place], value, *elements[receiver.place :])
    replace(run, source, new)
    run.memory.assign(receiver, "elements", new)
    run.memory.assign(receiver, "version", source.version)
    _move(run, receiver, receiver.place + 1, None)
    return NULL
