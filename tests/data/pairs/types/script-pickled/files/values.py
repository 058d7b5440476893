from collections import namedtuple
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


@dataclass
class Inner:
    at: int = 0


@dataclass
class Seen:
    at: int
    inner: Inner = None

    def age(self):
        return self.at


class Mark(NamedTuple):
    at: int
    by: str


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Session:
    def __init__(self):
        self.count = 0


@dataclass
class Options:
    topic: str
    size: int = 1


Pair = namedtuple("Pair", ["a", "b"])
