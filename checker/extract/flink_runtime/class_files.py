"""Reads Java class files as far as state goes: which state descriptors a class makes and which methods it calls.

A linear scan of every method's code, no execution: a descriptor whose name is a constant is exact, one whose name is
computed is reported without a name. Format: The Java Virtual Machine Specification, chapters 4 and 6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

STATE_PACKAGES = ("org/apache/flink/api/common/state/",)
DESCRIPTORS = frozenset(
    {"ValueStateDescriptor", "ListStateDescriptor", "MapStateDescriptor", "ReducingStateDescriptor",
     "AggregatingStateDescriptor"}
)  # fmt: skip

_CONSTANT_SIZES = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    15: 3,
}
"""Bytes behind the tag of each constant; Utf8 (1) carries its length."""
_OPERAND_SIZES = {
    **dict.fromkeys((0x10, 0x12, 0xA9, 0xBC, *range(0x15, 0x1A), *range(0x36, 0x3B)), 1),
    **dict.fromkeys((0x11, 0x13, 0x14, 0x84, 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7), 2),
    **dict.fromkeys((*range(0x99, 0xA9), *range(0xB2, 0xB9)), 2),
    **dict.fromkeys((0xB9, 0xBA, 0xC8, 0xC9), 4),
    0xC5: 3,
}
_LDC, _LDC_W, _NEW, _WIDE, _TABLESWITCH, _LOOKUPSWITCH = 0x12, 0x13, 0xBB, 0xC4, 0xAA, 0xAB
_INVOKES = frozenset({0xB6, 0xB7, 0xB8, 0xB9})


class BadClassFileError(ValueError):
    """The bytes are no class file that this reader understands."""


@dataclass(frozen=True, slots=True)
class DescriptorUse:
    """``new ValueStateDescriptor("seen", Long.class)``: class, name (None = computed), type where a class is named."""

    descriptor: str
    name: str | None
    type: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """An invoked method: owner's internal name, method name, descriptor."""

    owner: str
    name: str
    signature: str


@dataclass(frozen=True, slots=True)
class ClassFile:
    """What one class makes and calls."""

    descriptors: tuple[DescriptorUse, ...]
    calls: frozenset[Call]


def read_class(data: bytes) -> ClassFile:
    """Scan one class file. Raises BadClassFileError."""
    try:
        return _read(data)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, TypeError, ValueError) as error:
        raise BadClassFileError(f"not a readable class file: {error}") from None


@dataclass(slots=True)
class _Pool:
    entries: list[tuple[int, bytes]]

    def text(self, index: int) -> str:
        return self.entries[index][1].decode("utf-8", "replace")

    def short(self, index: int) -> int:
        return int(struct.unpack(">H", self.entries[index][1][:2])[0])

    def class_name(self, index: int) -> str:
        return self.text(self.short(index))

    def call(self, index: int) -> Call:
        owner, name_and_type = struct.unpack(">HH", self.entries[index][1])
        name, signature = struct.unpack(">HH", self.entries[name_and_type][1])
        return Call(self.class_name(owner), self.text(name), self.text(signature))


def _read(data: bytes) -> ClassFile:
    if data[:4] != b"\xca\xfe\xba\xbe":
        raise BadClassFileError("no class file")
    (count,) = struct.unpack_from(">H", data, 8)
    entries: list[tuple[int, bytes]] = [(0, b"")]
    at = 10
    while len(entries) < count:
        tag = data[at]
        size = 2 + struct.unpack_from(">H", data, at + 1)[0] if tag == 1 else _CONSTANT_SIZES[tag]
        entries.append((tag, data[at + (3 if tag == 1 else 1) : at + 1 + size]))
        if tag in (5, 6):
            entries.append((0, b""))
        at += 1 + size
    pool = _Pool(entries)
    (interfaces,) = struct.unpack_from(">H", data, at + 6)
    _, at = _members(data, at + 8 + 2 * interfaces)
    methods, _ = _members(data, at)
    descriptors: list[DescriptorUse] = []
    calls: set[Call] = set()
    for name, start in methods:
        if pool.text(name) == "Code":
            (length,) = struct.unpack_from(">I", data, start + 4)
            _scan(data[start + 8 : start + 8 + length], pool, descriptors, calls)
    return ClassFile(tuple(descriptors), frozenset(calls))


def _members(data: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """Name index and start of every attribute of a list of fields or methods, and where the list ends."""
    attributes = []
    (count,) = struct.unpack_from(">H", data, at)
    at += 2
    for _ in range(count):
        (own,) = struct.unpack_from(">H", data, at + 6)
        at += 8
        for _ in range(own):
            name, length = struct.unpack_from(">HI", data, at)
            attributes.append((name, at + 6))
            at += 6 + length
    return attributes, at


def _instructions(code: bytes) -> Iterator[tuple[int, int]]:
    """Opcode and its place, in order."""
    at = 0
    while at < len(code):
        opcode = code[at]
        yield opcode, at
        if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
            base = (at + 4) & ~3
            if opcode == _TABLESWITCH:
                low, high = struct.unpack_from(">ii", code, base + 4)
                at = base + 12 + 4 * (high - low + 1)
            else:
                (pairs,) = struct.unpack_from(">i", code, base + 4)
                at = base + 8 + 8 * pairs
        elif opcode == _WIDE:
            at += 6 if code[at + 1] == 0x84 else 4
        else:
            at += 1 + _OPERAND_SIZES.get(opcode, 0)


def _scan(code: bytes, pool: _Pool, descriptors: list[DescriptorUse], calls: set[Call]) -> None:
    """Constants between ``new`` of a descriptor and its constructor's call are that constructor's arguments."""
    building: list[tuple[str, list[str], list[str]]] = []
    for opcode, at in _instructions(code):
        if opcode == _NEW:
            name = pool.class_name(struct.unpack_from(">H", code, at + 1)[0])
            if name.startswith(STATE_PACKAGES) and name.rpartition("/")[2] in DESCRIPTORS:
                building.append((name, [], []))
        elif opcode in (_LDC, _LDC_W):
            index = code[at + 1] if opcode == _LDC else struct.unpack_from(">H", code, at + 1)[0]
            tag = pool.entries[index][0]
            if building and tag == 8:
                building[-1][1].append(pool.text(pool.short(index)))
            elif building and tag == 7:
                building[-1][2].append(pool.class_name(index).replace("/", "."))
        elif opcode in _INVOKES:
            call = pool.call(struct.unpack_from(">H", code, at + 1)[0])
            calls.add(call)
            if building and call.name == "<init>" and call.owner == building[-1][0]:
                name, texts, types = building.pop()
                constant = texts[0] if len(texts) == 1 else None
                descriptors.append(
                    DescriptorUse(name.rpartition("/")[2], constant, types[0] if len(types) == 1 else None)
                )
