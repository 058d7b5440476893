"""What a method does with objects, by its byte code, without running it.

One pass over the instructions with a stack of symbols: which calls it makes with which arguments, what it writes to
fields and what it returns. Where paths meet with different values, or a loop changes a variable, the value is unknown
(None). Instructions: The Java Virtual Machine Specification, chapter 6.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from checker.extract.runtime.bytecode.class_files import BadClassFileError, ClassFile, Method, Reference
from checker.extract.runtime.bytecode.instructions import (
    ALOAD,
    ARETURN,
    ASTORE,
    CHECKCAST,
    DUPLICATIONS,
    ENDS,
    GETFIELD,
    GETSTATIC,
    INVOKEDYNAMIC,
    INVOKEINTERFACE,
    INVOKESTATIC,
    INVOKEVIRTUAL,
    LDC,
    LDC_W,
    MULTIANEWARRAY,
    NEW,
    NULL,
    PLAIN,
    PUTFIELD,
    PUTSTATIC,
    SWAP,
    WIDE,
    instructions,
    parameters,
    returned,
    stored,
    targets,
    width,
)


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


_SAME = frozenset({"requireNonNull", "checkNotNull"})
"""Methods of libraries that return their first argument."""


def facts_of(owner: ClassFile, method: Method) -> Facts:
    """Follow one method. Raises BadClassFileError where its code makes no sense."""
    try:
        return _Frame(owner, method).run()
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise BadClassFileError(f"{owner.name}.{method.name}: {error}") from None


def _joined(left: Value, right: Value) -> Value:
    if isinstance(left, Null):
        return right
    return left if left == right or isinstance(right, Null) else None


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
            slot += width(type_)
        self.handlers = set(method.handlers)
        self.arriving: dict[int, _State] = {}
        self.changed_in_loop: dict[int, set[int]] = {}
        self.unchanged = dict(self.locals)
        self._survey()

    def _survey(self) -> None:
        """Which variables change at all, and which in the loop that begins at a place."""
        stores = [(at, stored(self.code, opcode, at)) for opcode, at, _ in instructions(self.code)]
        for _, numbers in stores:
            for number in numbers:
                self.unchanged.pop(number, None)
        for opcode, at, _ in instructions(self.code):
            for target in targets(self.code, opcode, at):
                if target <= at:
                    changed = {n for place, numbers in stores if target <= place <= at for n in numbers}
                    self.changed_in_loop.setdefault(target, set()).update(changed)

    def run(self) -> Facts:
        alive = True
        for opcode, at, end in instructions(self.code):
            self._enter(at, alive)
            self._step(opcode, at)
            for target in targets(self.code, opcode, at):
                if target > at:
                    self._arrive(target)
            alive = opcode not in ENDS
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
        wide = opcode == WIDE
        if wide:
            opcode = self.code[at + 1]
        operand = self.code[at + 1] if at + 1 < len(self.code) else 0
        index = int(struct.unpack_from(">H", self.code, at + (2 if wide else 1))[0]) if at + 2 < len(self.code) else 0
        if opcode == ALOAD or 0x2A <= opcode <= 0x2D:
            self.stack.append(self.locals.get((index if wide else operand) if opcode == ALOAD else opcode - 0x2A))
        elif opcode == ASTORE or 0x4B <= opcode <= 0x4E:
            (value,) = self._pop(1)
            self.locals[(index if wide else operand) if opcode == ASTORE else opcode - 0x4B] = value
        elif opcode == NULL:
            self.stack.append(Null())
        elif opcode in (LDC, LDC_W):
            number = operand if opcode == LDC else index
            text, name = self.pool.loaded(number), self.pool.loaded_class(number)
            self.stack.append(Text(text) if text is not None else ClassConstant(name) if name is not None else None)
        elif opcode in DUPLICATIONS:
            copied, below = DUPLICATIONS[opcode]
            values = self._pop(copied + below)
            self.stack += [*values[below:], *values]
        elif opcode == SWAP:
            self.stack += reversed(self._pop(2))
        elif opcode == CHECKCAST:
            pass
        elif opcode == NEW:
            self.stack.append(Made(self.pool.class_name(index), at))
        elif opcode == MULTIANEWARRAY:
            self._pop(self.code[at + 3])
            self.stack.append(None)
        elif GETSTATIC <= opcode <= PUTFIELD:
            self._field(opcode, self.pool.reference(index))
        elif INVOKEVIRTUAL <= opcode <= INVOKEINTERFACE:
            self._invoke(opcode, at, self.pool.reference(index))
        elif opcode == INVOKEDYNAMIC:
            self._lambda(index, at)
        elif opcode == ARETURN:
            self.facts.returns += self._pop(1)
        else:
            popped, pushed = PLAIN[opcode]
            self._pop(popped)
            self.stack += [None] * pushed
            for number in stored(self.code, opcode, at) if not wide else (index, index + 1):
                if not wide or 0x36 <= opcode <= 0x3A:
                    self.locals.pop(number, None)

    def _field(self, opcode: int, reference: Reference) -> None:
        places = width(reference.descriptor)
        if opcode in (PUTSTATIC, PUTFIELD):
            self.facts.writes.append((reference, self._pop(places)[0]))
        if opcode in (GETFIELD, PUTFIELD):
            self._pop(1)
        else:
            self.facts.statics.add(reference.owner)
        if opcode in (GETSTATIC, GETFIELD):
            self.stack += [FieldValue(reference)] + [None] * (places - 1)

    def _arguments(self, descriptor: str) -> list[Value]:
        values: list[Value] = []
        for type_ in reversed(parameters(descriptor)):
            values.insert(0, self._pop(width(type_))[0])
        return values

    def _push_result(self, reference: Reference, value: Value) -> None:
        places = width(returned(reference.descriptor))
        if places:
            self.stack += [value] + [None] * (places - 1)

    def _invoke(self, opcode: int, at: int, reference: Reference) -> None:
        arguments = self._arguments(reference.descriptor)
        if opcode != INVOKESTATIC:
            arguments.insert(0, self._pop(1)[0])
        invocation = Invocation(reference, at, tuple(arguments), opcode in (INVOKEVIRTUAL, INVOKEINTERFACE))
        self.facts.invocations.append(invocation)
        if opcode == INVOKESTATIC:
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
