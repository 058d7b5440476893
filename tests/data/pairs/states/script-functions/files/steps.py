from pyflink.common import Types
from pyflink.datastream.state import ReducingStateDescriptor
from pyflink.datastream.window import Trigger, TriggerResult

def normal(text):
    return text.strip().lower()

def cut(text, length):
    return text[:length]

class EveryN(Trigger):
    def __init__(self, n):
        self.n = n
        self.count = ReducingStateDescriptor("seen", lambda a, b: a + b, Types.LONG())

    def on_element(self, element, timestamp, window, ctx):
        count = ctx.get_partitioned_state(self.count)
        count.add(1)
        return TriggerResult.FIRE if count.get() % self.n == 0 else TriggerResult.CONTINUE

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.count).clear()

class Base:
    pass

class Seen(Base):
    def __init__(self, at):
        self.at = at

class Part:
    __slots__ = ("name", "size")

    def __init__(self, name):
        self.name = name
        self.size = len(name)

class KeyOf:
    '''A key.'''

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)
