"""The instructions of the Java virtual machine: how long they are, where they jump, what they do to the stack.

Source: The Java Virtual Machine Specification, chapter 6.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_PARAMETER = re.compile(r"\[*(?:[BCDFIJSZ]|L[^;]*;)")


def parameters(descriptor: str) -> list[str]:
    """The types of a method's parameters."""
    return _PARAMETER.findall(descriptor[1 : descriptor.index(")")])


def returned(descriptor: str) -> str:
    """The type that a method returns."""
    return descriptor[descriptor.index(")") + 1 :]


def width(type_: str) -> int:
    """Places on the stack that a value of a type takes."""
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
        for range_ in ranges.split():
            low, _, high = range_.partition("-")
            effects.update(dict.fromkeys(range(int(low, 16), int(high or low, 16) + 1), effect))
    return effects


PLAIN = _table(
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
DUPLICATIONS = {0x59: (1, 0), 0x5A: (1, 1), 0x5B: (1, 2), 0x5C: (2, 0), 0x5D: (2, 1), 0x5E: (2, 2)}
"""``dup`` and its kin: how many values are copied below how many others."""
_JUMPS = frozenset((*range(0x99, 0xA7), 0xC6, 0xC7))
_GOTO, _GOTO_W, _TABLESWITCH, _LOOKUPSWITCH, WIDE = 0xA7, 0xC8, 0xAA, 0xAB, 0xC4
ENDS = frozenset((*range(0xAC, 0xB2), 0xBF, _GOTO, _GOTO_W, _TABLESWITCH, _LOOKUPSWITCH))
GETSTATIC, PUTSTATIC, GETFIELD, PUTFIELD = 0xB2, 0xB3, 0xB4, 0xB5
INVOKEVIRTUAL, INVOKESTATIC, INVOKEINTERFACE, INVOKEDYNAMIC, NEW = 0xB6, 0xB8, 0xB9, 0xBA, 0xBB
NULL, LDC, LDC_W, SWAP, CHECKCAST, ARETURN, MULTIANEWARRAY = 0x01, 0x12, 0x13, 0x5F, 0xC0, 0xB0, 0xC5
ALOAD, ASTORE = 0x19, 0x3A


def instructions(code: bytes) -> Iterator[tuple[int, int, int]]:
    """Opcode, its place, and where the next one is. Raises ValueError, IndexError or struct.error for nonsense."""
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
        elif opcode == WIDE:
            end = at + (6 if code[at + 1] == 0x84 else 4)
        else:
            end = at + 1 + _OPERANDS.get(opcode, 0)
        if end <= at:
            raise ValueError("an instruction of no length")
        yield opcode, at, end
        at = end


def targets(code: bytes, opcode: int, at: int) -> list[int]:
    """Where a jump or a switch may go on, but for the next instruction."""
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


def stored(code: bytes, opcode: int, at: int) -> tuple[int, ...]:
    """The local variables that an instruction overwrites."""
    if opcode == WIDE and 0x36 <= code[at + 1] <= 0x3A:
        number, wide = int(struct.unpack_from(">H", code, at + 2)[0]), code[at + 1] in (0x37, 0x39)
    elif 0x36 <= opcode <= 0x3A:
        number, wide = code[at + 1], opcode in (0x37, 0x39)
    elif 0x3B <= opcode <= 0x4E:
        number, wide = (opcode - 0x3B) % 4, (opcode - 0x3B) // 4 in (1, 3)
    else:
        return ()
    return (number, number + 1) if wide else (number,)
