"""What a method does with objects, told from its byte code without running it.

One pass over the instructions with a stack of symbols: which calls it makes with which arguments, what it writes to
fields and what it returns. Where paths meet with different values, or a loop changes a variable, the value is unknown
(None). Instructions: The Java Virtual Machine Specification, chapter 6.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from checker.extract.flink_runtime.class_files import BadClassFileError, ClassFile, Method, Reference


@dataclass(frozen=True, slots=True)
class Text:
    """A string constant."""

    value: str


@dataclass(frozen=True, slots=True)
class ClassConstant:
    """``Long.class``: the internal name."""

    name: str


@dataclass(frozen=True, slots=True)
class Made:
    """An object that the method makes: ``new`` at a place of its code."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Argument:
    """What the method is called with, 0 = ``this`` unless it is static."""

    number: int


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What a field holds, static or of an object."""

    reference: Reference


@dataclass(frozen=True, slots=True)
class Result:
    """What the call at a place of the code returns."""

    reference: Reference
    at: int


@dataclass(frozen=True, slots=True)
class Null:
    """``null``."""


Value = Text | ClassConstant | Made | Argument | FieldValue | Result | Null | None
"""None = unknown."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call, with the receiver as first of the arguments unless it is static."""

    reference: Reference
    at: int
    arguments: tuple[Value, ...]
    virtual: bool
    """Overriding methods may be called instead."""
    captured: bool = False
    """Not called here: the method becomes a lambda that has captured these arguments, the receiver as well."""


@dataclass(slots=True)
class Facts:
    """All that one method does."""

    invocations: list[Invocation] = field(default_factory=list)
    made: dict[Made, Invocation] = field(default_factory=dict)
    """Object → the call of its constructor."""
    writes: list[tuple[Reference, Value]] = field(default_factory=list)
    returns: list[Value] = field(default_factory=list)
    lambdas: list[Invocation] = field(default_factory=list)
    """Methods handed to ``invokedynamic``: what the caller of the lambda passes them is not known."""
    statics: set[str] = field(default_factory=set)
    """Classes whose static fields are used."""


_PARAMETER = re.compile(r"\[*(?:[BCDFIJSZ]|L[^;]*;)")


def parameters(descriptor: str) -> list[str]:
    """The types of a method's parameters."""
    return _PARAMETER.findall(descriptor[1 : descriptor.index(")")])


def returned(descriptor: str) -> str:
    """The type that a method returns."""
    return descriptor[descriptor.index(")") + 1 :]


def _width(type_: str) -> int:
    return 2 if type_ in ("J", "D") else 0 if type_ == "V" else 1


_OPERANDS = {
    **dict.fromkeys((0x10, 0x12, 0xA9, 0xBC, *range(0x15, 0x1A), *range(0x36, 0x3B)), 1),
    **dict.fromkeys((0x11, 0x13, 0x14, 0x84, 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7), 2),
    **dict.fromkeys((*range(0x99, 0xA9), *range(0xB2, 0xB9)), 2),
    **dict.fromkeys((0xB9, 0xBA, 0xC8, 0xC9), 4),
    0xC5: 3,
}
"""Bytes behind an opcode, where there are any."""


def _table(pairs: dict[tuple[int, int], str]) -> dict[int, tuple[int, int]]:
    """(pop, push) by opcode, from ``{(pop, push): "ranges of opcodes in hex"}``."""
    effects = {}
    for effect, ranges in pairs.items():
        for one in ranges.split():
            low, _, high = one.partition("-")
            effects.update(dict.fromkeys(range(int(low, 16), int(high or low, 16) + 1), effect))
    return effects


_PLAIN = _table(
    {
        (0, 0): "00 84 a7 a9 b1 c8",
        (0, 1): "02-08 0b-0d 10-11 15 17 1a-1d 22-25 a8",
        (0, 2): "09-0a 0e-0f 14 16 18 1e-21 26-29",
        (1, 0): "36 38 3b-3e 43-46 57 99-9e aa-ac ae bf c2-c3 c6-c7",
        (1, 1): "74 76 86 8b 91-93 bc-be c1",
        (1, 2): "85 87 8c-8d",
        (2, 0): "37 39 3f-42 47-4a 58 9f-a6 ad af",
        (2, 1): "2e 30 32-35 60 62 64 66 68 6a 6c 6e 70 72 78 7a 7c 7e 80 82 88-89 8e 90 95-96",
        (2, 2): "2f 31 75 77 8a 8f",
        (3, 0): "4f 51 53-56",
        (3, 2): "79 7b 7d",
        (4, 0): "50 52",
        (4, 1): "94 97-98",
        (4, 2): "61 63 65 67 69 6b 6d 6f 71 73 7f 81 83",
    }
)
"""How many values an opcode takes from the stack and puts there, where it needs no more than that."""
_DUPLICATIONS = {0x59: (1, 0), 0x5A: (1, 1), 0x5B: (1, 2), 0x5C: (2, 0), 0x5D: (2, 1), 0x5E: (2, 2)}
"""``dup`` and its kin: how many values are copied below how many others."""
_JUMPS = frozenset((*range(0x99, 0xA7), 0xC6, 0xC7))
_GOTO, _GOTO_W, _TABLESWITCH, _LOOKUPSWITCH, _WIDE = 0xA7, 0xC8, 0xAA, 0xAB, 0xC4
_ENDS = frozenset((*range(0xAC, 0xB2), 0xBF, _GOTO, _GOTO_W, _TABLESWITCH, _LOOKUPSWITCH))
_GETSTATIC, _PUTSTATIC, _GETFIELD, _PUTFIELD = 0xB2, 0xB3, 0xB4, 0xB5
_INVOKEVIRTUAL, _INVOKESTATIC, _INVOKEINTERFACE, _INVOKEDYNAMIC, _NEW = 0xB6, 0xB8, 0xB9, 0xBA, 0xBB
_NULL, _LDC, _LDC_W, _SWAP, _CHECKCAST, _ARETURN, _MULTIANEWARRAY = 0x01, 0x12, 0x13, 0x5F, 0xC0, 0xB0, 0xC5
_ALOAD, _ASTORE = 0x19, 0x3A
_SAME = frozenset({"requireNonNull", "checkNotNull"})
"""Methods of libraries that return their first argument."""


def facts_of(owner: ClassFile, method: Method) -> Facts:
    """Follow one method. Raises BadClassFileError where its code makes no sense."""
    try:
        return _Frame(owner, method).run()
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise BadClassFileError(f"{owner.name}.{method.name}: {error}") from None


def _instructions(code: bytes) -> Iterator[tuple[int, int, int]]:
    """Opcode, its place, and where the next one is."""
    at = 0
    while at < len(code):
        opcode = code[at]
        if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
            base = (at + 4) & ~3
            if opcode == _TABLESWITCH:
                low, high = struct.unpack_from(">ii", code, base + 4)
                end = base + 12 + 4 * (high - low + 1)
            else:
                end = base + 8 + 8 * int(struct.unpack_from(">i", code, base + 4)[0])
        elif opcode == _WIDE:
            end = at + (6 if code[at + 1] == 0x84 else 4)
        else:
            end = at + 1 + _OPERANDS.get(opcode, 0)
        yield opcode, at, end
        at = end


def _targets(code: bytes, opcode: int, at: int) -> list[int]:
    if opcode in _JUMPS or opcode == _GOTO:
        return [at + int(struct.unpack_from(">h", code, at + 1)[0])]
    if opcode == _GOTO_W:
        return [at + int(struct.unpack_from(">i", code, at + 1)[0])]
    base = (at + 4) & ~3
    if opcode == _TABLESWITCH:
        default, low, high = struct.unpack_from(">iii", code, base)
        offsets = struct.unpack_from(f">{high - low + 1}i", code, base + 12)
        return [at + o for o in (default, *offsets)]
    if opcode == _LOOKUPSWITCH:
        default, pairs = struct.unpack_from(">ii", code, base)
        offsets = struct.unpack_from(f">{2 * pairs}i", code, base + 8)[1::2]
        return [at + o for o in (default, *offsets)]
    return []


def _stored(code: bytes, opcode: int, at: int) -> tuple[int, ...]:
    """The local variables that an instruction overwrites."""
    if opcode == _WIDE and 0x36 <= code[at + 1] <= 0x3A:
        number, wide = int(struct.unpack_from(">H", code, at + 2)[0]), code[at + 1] in (0x37, 0x39)
    elif 0x36 <= opcode <= 0x3A:
        number, wide = code[at + 1], opcode in (0x37, 0x39)
    elif 0x3B <= opcode <= 0x4E:
        number, wide = (opcode - 0x3B) % 4, (opcode - 0x3B) // 4 in (1, 3)
    else:
        return ()
    return (number, number + 1) if wide else (number,)


def _joined(one: Value, other: Value) -> Value:
    if isinstance(one, Null):
        return other
    return one if one == other or isinstance(other, Null) else None


_State = tuple[list[Value], dict[int, Value]]


class _Frame:
    """The stack and the local variables of one method, while its code is followed."""

    def __init__(self, owner: ClassFile, method: Method) -> None:
        self.code = method.code
        self.pool = owner.pool
        self.facts = Facts()
        self.stack: list[Value] = []
        self.locals: dict[int, Value] = {}
        slot = 0
        for number, type_ in enumerate(([] if method.static else ["L;"]) + parameters(method.descriptor)):
            self.locals[slot] = Argument(number)
            slot += _width(type_)
        self.handlers = set(method.handlers)
        self.arriving: dict[int, _State] = {}
        self.changed_in_loop: dict[int, set[int]] = {}
        self.unchanged = dict(self.locals)
        self._survey()

    def _survey(self) -> None:
        """Which variables change at all, and which in the loop that begins at a place."""
        stores = [(at, _stored(self.code, opcode, at)) for opcode, at, _ in _instructions(self.code)]
        for _, numbers in stores:
            for number in numbers:
                self.unchanged.pop(number, None)
        for opcode, at, _ in _instructions(self.code):
            for target in _targets(self.code, opcode, at):
                if target <= at:
                    changed = {n for place, numbers in stores if target <= place <= at for n in numbers}
                    self.changed_in_loop.setdefault(target, set()).update(changed)

    def run(self) -> Facts:
        alive = True
        for opcode, at, end in _instructions(self.code):
            self._enter(at, alive)
            self._step(opcode, at)
            for target in _targets(self.code, opcode, at):
                if target > at:
                    self._arrive(target)
            alive = opcode not in _ENDS
            if alive and end in self.arriving:
                self._arrive(end)
        return self.facts

    def _enter(self, at: int, alive: bool) -> None:
        if at in self.handlers:
            self.stack, self.locals = [None], dict(self.unchanged)
        elif at in self.arriving:
            stack, variables = self.arriving[at]
            self.stack, self.locals = list(stack), dict(variables)
        elif not alive:  # reached from further down only: a loop's body before its condition
            self.stack, self.locals = [], dict(self.unchanged)
        for number in self.changed_in_loop.get(at, ()):
            self.locals.pop(number, None)

    def _arrive(self, target: int) -> None:
        if target not in self.arriving:
            self.arriving[target] = (list(self.stack), dict(self.locals))
            return
        stack, variables = self.arriving[target]
        self.arriving[target] = (
            [_joined(a, b) for a, b in zip(stack, self.stack, strict=False)],
            {n: _joined(variables[n], self.locals[n]) for n in variables.keys() & self.locals.keys()},
        )

    def _pop(self, count: int) -> list[Value]:
        taken = self.stack[len(self.stack) - count :] if count else []
        del self.stack[len(self.stack) - count :]
        return [None] * (count - len(taken)) + taken

    def _step(self, opcode: int, at: int) -> None:
        wide = opcode == _WIDE
        if wide:
            opcode = self.code[at + 1]
        operand = self.code[at + 1] if at + 1 < len(self.code) else 0
        index = int(struct.unpack_from(">H", self.code, at + (2 if wide else 1))[0]) if at + 2 < len(self.code) else 0
        if opcode == _ALOAD or 0x2A <= opcode <= 0x2D:
            self.stack.append(self.locals.get((index if wide else operand) if opcode == _ALOAD else opcode - 0x2A))
        elif opcode == _ASTORE or 0x4B <= opcode <= 0x4E:
            (value,) = self._pop(1)
            self.locals[(index if wide else operand) if opcode == _ASTORE else opcode - 0x4B] = value
        elif opcode == _NULL:
            self.stack.append(Null())
        elif opcode in (_LDC, _LDC_W):
            number = operand if opcode == _LDC else index
            text, name = self.pool.loaded(number), self.pool.loaded_class(number)
            self.stack.append(Text(text) if text is not None else ClassConstant(name) if name is not None else None)
        elif opcode in _DUPLICATIONS:
            copied, below = _DUPLICATIONS[opcode]
            values = self._pop(copied + below)
            self.stack += [*values[below:], *values]
        elif opcode == _SWAP:
            self.stack += reversed(self._pop(2))
        elif opcode == _CHECKCAST:
            pass
        elif opcode == _NEW:
            self.stack.append(Made(self.pool.class_name(index), at))
        elif opcode == _MULTIANEWARRAY:
            self._pop(self.code[at + 3])
            self.stack.append(None)
        elif _GETSTATIC <= opcode <= _PUTFIELD:
            self._field(opcode, self.pool.reference(index))
        elif _INVOKEVIRTUAL <= opcode <= _INVOKEINTERFACE:
            self._invoke(opcode, at, self.pool.reference(index))
        elif opcode == _INVOKEDYNAMIC:
            self._lambda(index, at)
        elif opcode == _ARETURN:
            self.facts.returns += self._pop(1)
        else:
            popped, pushed = _PLAIN[opcode]
            self._pop(popped)
            self.stack += [None] * pushed
            for number in _stored(self.code, opcode, at) if not wide else (index, index + 1):
                if not wide or 0x36 <= opcode <= 0x3A:
                    self.locals.pop(number, None)

    def _field(self, opcode: int, reference: Reference) -> None:
        width = _width(reference.descriptor)
        if opcode in (_PUTSTATIC, _PUTFIELD):
            self.facts.writes.append((reference, self._pop(width)[0]))
        if opcode in (_GETFIELD, _PUTFIELD):
            self._pop(1)
        else:
            self.facts.statics.add(reference.owner)
        if opcode in (_GETSTATIC, _GETFIELD):
            self.stack += [FieldValue(reference)] + [None] * (width - 1)

    def _arguments(self, descriptor: str) -> list[Value]:
        values: list[Value] = []
        for type_ in reversed(parameters(descriptor)):
            values.insert(0, self._pop(_width(type_))[0])
        return values

    def _push_result(self, reference: Reference, value: Value) -> None:
        width = _width(returned(reference.descriptor))
        if width:
            self.stack += [value] + [None] * (width - 1)

    def _invoke(self, opcode: int, at: int, reference: Reference) -> None:
        arguments = self._arguments(reference.descriptor)
        if opcode != _INVOKESTATIC:
            arguments.insert(0, self._pop(1)[0])
        invocation = Invocation(reference, at, tuple(arguments), opcode in (_INVOKEVIRTUAL, _INVOKEINTERFACE))
        self.facts.invocations.append(invocation)
        if opcode == _INVOKESTATIC:
            self.facts.statics.add(reference.owner)
        first = arguments[0] if arguments else None
        if reference.name in _SAME:
            self._push_result(reference, first)
            return
        if reference.name == "<init>" and isinstance(first, Made) and first.name == reference.owner:
            self.facts.made[first] = invocation
        self._push_result(reference, Result(reference, at))

    def _lambda(self, index: int, at: int) -> None:
        name, descriptor, handles = self.pool.call_site(index)
        captured = self._arguments(descriptor)
        for handle in handles:
            self.facts.lambdas.append(Invocation(handle, at, tuple(captured), virtual=True, captured=True))
        self._push_result(Reference("", name, descriptor), None)
