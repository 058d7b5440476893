"""Reading Java's ``DataOutput`` format from a file that may be huge, damaged or hostile.

Only a window of the file is in memory; what is not needed is jumped over. A length is held against the size of
the file before anything is read or allocated, so a lie costs nothing.
"""

from array import array
from struct import Struct
from sys import byteorder
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.state_handles import Offsets

WINDOW = 1 << 18
"""Bytes held in memory at a time."""

_I16 = Struct(">h")
_U16 = Struct(">H")
_I32 = Struct(">i")
_I64 = Struct(">q")


class Cursor:
    """A position in a seekable binary file. Every read raises SavepointError at the end of the file."""

    def __init__(self, stream: BinaryIO, name: str, *, size: int | None = None) -> None:
        """``name`` is what errors call the file; ``size`` its length in bytes, found by seeking when absent."""
        self._stream = stream
        self.name = name
        if size is None:
            size = stream.seek(0, 2)
            stream.seek(0)
        self.size = size
        self._base = 0
        self._window = b""
        self._at = 0

    @property
    def position(self) -> int:
        """Offset of the next byte."""
        return self._base + self._at

    @property
    def remaining(self) -> int:
        """Bytes up to the end of the file."""
        return self.size - self.position

    def damage(self, what: str, position: int | None = None) -> SavepointError:
        """The one error for everything that can't be right."""
        at = self.position if position is None else position
        return SavepointError(
            f"{self.name} is damaged or not Flink's: {what} at byte {at}. Take the savepoint again or restore the file."
        )

    def _need(self, count: int) -> int:
        """Make ``count`` bytes available in the window; returns where they begin and moves behind them."""
        at = self._at
        if at + count > len(self._window):
            position = self._base + at
            if count > self.size - position:
                raise self.damage(f"{count} bytes expected but the file ends after {self.size - position}")
            self._stream.seek(position)
            window = self._stream.read(max(count, WINDOW))
            if len(window) < count:
                raise self.damage(f"{count} bytes expected but the file ends after {len(window)}")
            self._window, self._base, at = window, position, 0
        self._at = at + count
        return at

    def seek(self, position: int) -> None:
        """Go to an offset within the file."""
        if not 0 <= position <= self.size:
            raise self.damage(f"a reference to byte {position} of {self.size}")
        if self._base <= position <= self._base + len(self._window):
            self._at = position - self._base
        else:
            self._base, self._window, self._at = position, b"", 0

    def skip(self, count: int, what: str = "data") -> int:
        """Jump over ``count`` bytes without reading them; returns the offset where they began."""
        position = self.position
        if count < 0:
            raise self.damage(f"a negative length ({count}) of {what}")
        if count > self.size - position:
            raise self.damage(f"{what} of {count} bytes where only {self.size - position} are left")
        self.seek(position + count)
        return position

    def take(self, count: int, what: str = "data") -> bytes:
        """Read ``count`` bytes, at most 16 MiB."""
        if not 0 <= count <= 1 << 24:
            raise self.damage(f"a length of {count} for {what}")
        at = self._need(count)
        return self._window[at : at + count]

    def i8(self) -> int:
        """Signed byte."""
        at = self._need(1)
        value = self._window[at]
        return value - 256 if value > 127 else value

    def flag(self, what: str) -> bool:
        """A Java boolean: a byte that is 0 or 1."""
        value = self.i8()
        if value not in (0, 1):
            raise self.damage(f"{value} where {what} must be 0 or 1", self.position - 1)
        return value == 1

    def i16(self) -> int:
        """Big-endian i16."""
        at = self._need(2)
        return int(_I16.unpack_from(self._window, at)[0])

    def i32(self) -> int:
        """Big-endian i32."""
        at = self._need(4)
        return int(_I32.unpack_from(self._window, at)[0])

    def i64(self) -> int:
        """Big-endian i64."""
        at = self._need(8)
        return int(_I64.unpack_from(self._window, at)[0])

    def count(self, what: str, *, each: int) -> int:
        """An i32 count of things that take at least ``each`` bytes: refused when the file can't hold so many."""
        position = self.position
        value = self.i32()
        if value < 0:
            raise self.damage(f"a negative count ({value}) of {what}", position)
        if value * each > self.size - self.position:
            raise self.damage(f"{value} {what} where only {self.size - self.position} bytes are left", position)
        return value

    def size_field(self, what: str) -> int:
        """An i64 that must not be negative."""
        position = self.position
        value = self.i64()
        if value < 0:
            raise self.damage(f"a negative size ({value}) of {what}", position)
        return value

    def utf(self, what: str) -> str:
        """A string in Java's modified UTF-8 behind its u16 length in bytes."""
        position = self.position
        at = self._need(2)
        length = int(_U16.unpack_from(self._window, at)[0])
        at = self._need(length)
        text = decode_modified_utf8(self._window[at : at + length])
        if text is None:
            raise self.damage(f"a malformed string as {what}", position)
        return text

    def offsets(self, count: int, what: str) -> Offsets:
        """``count`` i64 offsets, scanned without keeping them."""
        position = self.position
        if count < 0 or count * 8 > self.size - position:
            raise self.damage(f"{count} offsets of {what}")
        first: int | None = None
        left = count
        while left:
            part = min(left, WINDOW // 8)
            at = self._need(part * 8)
            values = array("q", self._window[at : at + part * 8])
            if byteorder == "little":
                values.byteswap()
            left -= part
            if min(values) < 0:
                raise self.damage(f"a negative offset of {what}", position)
            smallest = min((v for v in values if v), default=None)
            if smallest is not None:
                first = smallest if first is None else min(first, smallest)
        return Offsets(position=position, count=count, first=first)


def decode_modified_utf8(data: bytes) -> str | None:
    """Text of modified UTF-8 (``DataInput.readUTF``), or None when malformed.

    U+0000 is C0 80 and supplementary characters are two surrogates of three bytes each.
    """
    if data.isascii():
        return data.decode("ascii")
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    if any(c > "\uffff" for c in text):
        return None  # a four-byte sequence, which Java refuses
    if any("\ud800" <= c <= "\udfff" for c in text):
        text = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")
    return text


def encode_modified_utf8(text: str) -> bytes:
    """What ``DataOutput.writeUTF`` writes of a text behind its length. Lone surrogates stay as they are."""
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    units = text.encode("utf-16-be", "surrogatepass")
    encoded = (chr(unit).encode("utf-8", "surrogatepass") for (unit,) in _U16.iter_unpack(units))
    return b"".join(encoded).replace(b"\0", b"\xc0\x80")
