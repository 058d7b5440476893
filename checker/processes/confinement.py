"""What a process of ours that works on what a repository says may do at most, held by the kernel where it can (Linux).

The rules for statements and calls come first, and hold everywhere; this holds where one of them has a gap.
"""

import ctypes
import os
import struct
import sys
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls of Landlock, the same on every architecture."""
_VERSION = 1
_NO_NEW_PRIVILEGES = 38
_WRITES = 0b1_1111_1111_0010
"""Write, remove and make files of each kind."""
_LATER = {2: 1 << 13, 3: 1 << 14}
"""Version → what it added of that kind: files that change folders, and that are emptied."""
_EXECUTE, _WRITE, _CONNECT = 1 << 0, 1 << 1, 1 << 1
_SCOPES = 0b11
"""Abstract sockets and signals of processes outside."""
_SIZES = {1: 8, 4: 16, 6: 24}
"""The first version that holds files, what reaches the network, what reaches processes → bytes that say so."""


def confine(folder: Path) -> bool:
    """Let this process start nothing, reach nobody, and write below a folder only. Returns whether that holds."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)
    if version < 1:
        return False
    writes = _WRITES | sum(added for since, added in _LATER.items() if version >= since)
    size = max(size for since, size in _SIZES.items() if version >= since)
    rights = struct.pack("QQQ", writes | _EXECUTE, _CONNECT, _SCOPES)[:size]
    rules = libc.syscall(_CREATE, rights, ctypes.c_size_t(len(rights)), 0)
    for place, allowed in ((folder, writes), (Path(os.devnull), _WRITE)):
        opened = os.open(place, os.O_PATH)
        libc.syscall(_ADD, rules, 1, struct.pack("=Qi", allowed, opened), 0)
        os.close(opened)
    return bool(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and libc.syscall(_RESTRICT, rules, 0) == 0)
