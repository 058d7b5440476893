"""What collections hold: elements, views of them, and the order in which they are met.

``equals``, ``hashCode`` and ``compareTo`` of values, as far as they can be computed.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from checker.extract.interpreting.bounds import A_LOOK
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, throw
from checker.extract.java.machine.numbers import boxed, unboxed, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    OptionalValue,
    Value,
    boolean,
    is_null,
)
from checker.extract.java.syntax.declarations import ClassKind
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.type_refs import BOXES
from checker.model.unknowns import Cause, Unknown

T = TypeVar("T")
Elements = tuple[Value, ...]
MAX_ELEMENTS: Final = 20_000
UNORDERED: Final = frozenset({"RandomSet", "HashSet"})
"""Sets whose order comes of hash codes, which are not computed."""


class NotKnown(Exception):  # noqa: N818 - becomes an unknown result
    """A model can't determine a result because it depends on something unknown."""


class View(ListValue):
    """A collection that shows another one: read through. What changes it leaves the other one unknown."""

    __slots__ = ("read", "root")

    def __init__(self, root: ListValue | MapValue, kind: str, read: Callable[[bool], Elements | None]) -> None:
        self.root, self.kind, self.read = root, kind, read
        self.born = root.born

    @property
    def elements(self) -> Elements | None:  # type: ignore[override]
        """What the other collection has now."""
        return self.read(False)

    @property
    def unknown(self) -> Unknown | None:  # type: ignore[override]
        """Why that is not known."""
        return self.root.unknown or Unknown("cannot tell the order of a map's entries", Cause.COLLECTION)


def cause_of_order(value: Value) -> Cause:
    """Why the order of elements is not known: that of ``Set.of`` is another one in every run."""
    in_each_run = isinstance(value, ListValue) and value.kind == "RandomSet"
    return Cause.NON_DETERMINISTIC if in_each_run else Cause.COLLECTION


def sure(found: T | None) -> T:
    """What was found. Raises NotKnown for None."""
    if found is None:
        raise NotKnown
    return found


_QUERIES: Final = (
    "get", "is", "has", "size", "contains", "index", "to", "stream", "iterator", "equals", "hash", "describe", "write",
    "print", "log", "format", "serialize", "validate", "parallelStream", "forEach",
)  # fmt: skip


WRITES_THROUGH: Final = frozenset({"iterator", "listIterator", "subList", "subSet", "headSet", "tailSet"})
"""What is done with the result of these may change the collection: the code counts for what it holds from then on."""


def only_asks(name: str) -> bool:
    """Whether a method of that name leaves the object that it is called on as it is."""
    return name.startswith(_QUERIES) and name not in WRITES_THROUGH


# -- changes -------------------------------------------------------------------------------------------------------


def replace(run: Run, receiver: ListValue, elements: Elements) -> None:
    """Give a collection other elements. Raises NotKnown for views."""
    if len(elements) > MAX_ELEMENTS:
        raise LimitSignal(f"a collection of more than {MAX_ELEMENTS:,} elements")
    if isinstance(receiver, View):
        raise NotKnown
    run.made(len(elements))
    run.memory.assign(receiver, "elements", elements)


def forget(run: Run, receiver: Value, unknown: Unknown) -> None:
    """The content of a collection, or of the one behind a view, is not known any more."""
    while isinstance(receiver, ListValue | MapValue) and hasattr(receiver, "root"):
        receiver = receiver.root
    if isinstance(receiver, ListValue) and receiver.kind != "args":
        run.memory.assign(receiver, "elements", None)
    elif isinstance(receiver, MapValue):
        run.memory.assign(receiver, "entries", None)
    else:
        symbol = symbol_of(receiver)
        if symbol is not None:
            run.memory.put(run.statics, (0, symbol), NULL)
        return
    run.memory.assign(receiver, "unknown", unknown)


def symbol_of(array: Value) -> str | None:
    """By what an array is known whose elements are not."""
    if isinstance(array, Opaque):
        return array.symbol
    return "args" if isinstance(array, ListValue) and array.kind == "args" else None


def place_of(run: Run, elements: Elements, value: Value, call: Call | None) -> int | None:
    """Where the first element stands that equals a value, None where none does.

    Raises NotKnown for null, which some collections refuse.
    """
    if is_null(value):
        raise NotKnown
    for place, element in enumerate(elements):
        if sure(equal(run, value, element, call)):
            return place
    return None


def added(run: Run, receiver: ListValue, elements: Elements, value: Value, call: Call) -> Elements:
    """The elements after ``add``, the same object where nothing changes."""
    if receiver.kind.endswith("Set") and place_of(run, elements, value, call) is not None:
        return elements
    return (*elements, value)


def added_all(run: Run, receiver: ListValue, values: Sequence[Value], call: Call) -> Elements:
    """The elements after all values have been added one by one."""
    elements = receiver.elements or ()
    if not receiver.kind.endswith("Set"):
        return (*elements, *values)
    for value in values:
        elements = added(run, receiver, elements, value, call)
    return elements


def index_in(value: Value, size: int) -> int:
    """The place that an index names. Throws where it is out of bounds; raises NotKnown where it is not known."""
    place = sure(whole(value))
    if not 0 <= place < size:
        throw("IndexOutOfBoundsException")
    return place


# -- order ---------------------------------------------------------------------------------------------------------


def in_order(value: ListValue) -> Elements | None:
    """The elements as an iteration meets them, None for contents and orders that are not known."""
    elements = value.elements
    if elements is None or len(elements) < 2:
        return elements
    return None if value.kind in UNORDERED else elements


def elements_of(run: Run, value: Value) -> Elements | None:
    """The elements that an iteration over a value meets now, None where they are not known."""
    if isinstance(value, ListValue):
        return in_order(value)
    if isinstance(value, OptionalValue):
        return (value.value,) if value.value is not None else ()
    return None


def rounds(run: Run, value: Value) -> Iterator[Value] | None:
    """What a loop over a value meets, round by round; None where that is not known. An array shows its changes."""
    elements = elements_of(run, value)
    if elements is None and run.following is not None and isinstance(value, ListValue):
        unordered = value.read(True) if isinstance(value, View) else value.elements
        return None if unordered is None else _in_any_order(run, unordered)
    return None if elements is None else map(partial(_now, value), range(len(elements)), elements)


def _in_any_order(run: Run, elements: Elements) -> Iterator[Value]:
    """Elements whose order is not known, while a function is followed: it makes no difference what a round changes."""
    changed: set[tuple[int, object, bool]] = set()
    for element in elements:
        mark = run.memory.mark()
        yield element
        written = {place: write.target for place, (write, _) in run.memory.effects(mark).items()}
        places = {place for place, of in written.items() if of is not run.following and _ordered(of)}
        if changed & places:
            raise LimitSignal("the order of a map or set decides what it does")
        changed |= places


def _ordered(changed: object) -> bool:
    """Whether it makes a difference which of two changes comes first: of a map by its keys, none does."""
    if isinstance(changed, MapValue):
        return changed.order == "insertion"
    return not isinstance(changed, ListValue) or changed.kind not in UNORDERED


def _now(source: Value, place: int, element: Value) -> Value:
    """An element as it is when a loop comes to it."""
    if not isinstance(source, ListValue) or source.kind not in ARRAYS or source.elements is None:
        return element
    return source.elements[place] if place < len(source.elements) else element


def every(run: Run, value: Value) -> Elements:
    """All elements of what a call is given. Throws for null; raises NotKnown."""
    value = run.settle(value)
    if is_null(value):
        throw("NullPointerException")
    return sure(elements_of(run, value))


# -- arguments ---------------------------------------------------------------------------------------------------

ARRAYS: Final = ("array", "args")


def varargs(given: Sequence[Value]) -> ListValue | None:
    """The array behind variable arguments; None where it is not known whether there is one."""
    if len(given) == 1:
        array = given[0]
        if isinstance(array, ListValue) and array.kind in ARRAYS:
            return array
        if isinstance(array, Opaque) and array.type is None:
            return None
    return ListValue(tuple(boxed(value) for value in given), "array")


def known(value: ListValue | None) -> Elements:
    """The elements of a collection or array. Raises NotKnown."""
    return sure(sure(value).elements)


def equal(run: Run, left: Value, right: Value, call: Call | None = None) -> bool | None:
    """``left.equals(right)`` (null equals null only), None where that is not known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _equal_constants(left, right)
    if isinstance(left, Opaque) and isinstance(right, Opaque) and left.symbol == right.symbol:
        return True if left.negated == right.negated else None
    if isinstance(left, Opaque | Choice) or isinstance(right, Opaque | Choice):
        return None
    if left is right:
        return True
    run.made(A_LOOK)
    if not isinstance(left, Instance | ClassLiteral | ExternalObject | Constant):
        return None  # collections, entries and optionals: no program that builds jobs compares them
    if isinstance(left, Instance):
        return _equal_instances(run, left, right, call)
    if isinstance(left, ClassLiteral) and isinstance(right, ClassLiteral):
        return left.type == right.type and left.ref == right.ref
    if isinstance(left, ExternalObject) or isinstance(right, ExternalObject):
        return None
    return False


def asked(run: Run, receiver: Value, call: Call) -> Value | None:
    """``equals`` as the program calls it; None where the answer is not known, as that of ``hashCode`` is."""
    if call.name != "equals" or len(call.arguments) != 1:
        return None
    verdict = equal(run, receiver, numbers.boxed(call.arguments[0]), call)
    return boolean(verdict) if verdict is not None else None


def _equal_constants(left: Constant, right: Constant) -> bool:
    if left.value is None or right.value is None:
        return left.value is right.value
    if BOXES.get(left.java, left.java) != BOXES.get(right.java, right.java):
        return False
    return left.value == right.value


def _equal_instances(run: Run, left: Instance, right: Value, call: Call | None) -> bool | None:
    found = in_hierarchy(run.index, left.decl, "equals")
    own = next((m for m in found if not m.abstract and len(m.parameters) == 1), None)
    if own is not None:
        if call is None:
            return None
        return run.truth(run.interpreter.call_method(own, left, call.having(name="equals", arguments=[right])))
    generated = left.decl.annotation_names & {"Data", "Value", "EqualsAndHashCode"}
    return None if generated or left.decl.kind is ClassKind.RECORD else False


# -- functions -----------------------------------------------------------------------------------------------------


def apply(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> Value:
    """The result of a function, boxed."""
    if is_null(function):
        throw("NullPointerException")
    return boxed(run.interpreter.call_function(function, call.having(arguments=list(arguments))))


def test(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> bool:
    """What a predicate says; where it is not known, a choice of the path."""
    return run.decide(unboxed(apply(run, function, arguments, call)))
