from pathlib import Path

from mystery import build
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

class Largest(KeyedProcessFunction):
    def open(self, ctx):
        self.largest = ctx.get_state(ValueStateDescriptor("largest", Types.LONG()))

    def process_element(self, value, ctx):
        if value[1] > (self.largest.value() or 0):
            self.largest.update(value[1])
            yield value

env = StreamExecutionEnvironment.get_execution_environment()
for name in Path(__file__).with_name("names.txt").read_text().split():
    pairs = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.LONG()])).uid(f"{name}-pairs")
    largest = pairs.key_by(lambda v: v[0], Types.STRING()).process(Largest()).uid(name)
    largest.print().uid(f"{name}-out")
env.execute()
