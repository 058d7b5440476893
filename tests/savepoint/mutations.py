"""Damaged files made from real ones: what a fuzz run feeds the readers. Deterministic for a seed."""

import random

_INTERESTING = (
    b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00\x00\x00\x00", b"\x00\x01\x00\x00",
    b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"\xff" * 8, b"\x00" * 8, b"\x01", b"\x03", b"\x08", b"\x0e", b"\x10", b"\xff",
    b"\xff\xff", b"\x7f\xff", b"\x08\x00\x00\x00\x00\x00\x00\x00\x80" * 3,
)  # fmt: skip


def mutated(data: bytes, random_: random.Random) -> bytes:
    """One to four edits: bytes overwritten, runs cut, doubled, inserted or swapped, or the end cut off."""
    result = bytearray(data)
    for _ in range(random_.randint(1, 4)):
        if not result:
            break
        at = random_.randrange(len(result))
        kind = random_.randrange(7)
        if kind == 0:
            result[at] = random_.randrange(256)
        elif kind == 1:
            value = random_.choice(_INTERESTING)
            result[at : at + len(value)] = value
        elif kind == 2:
            del result[at : at + random_.randint(1, 64)]
        elif kind == 3:
            result[at:at] = result[at : at + random_.randint(1, 256)]
        elif kind == 4:
            result[at:at] = random_.randbytes(random_.randint(1, 16))
        elif kind == 5:
            del result[at:]
        else:
            result[at] ^= 1 << random_.randrange(8)
    return bytes(result)
