from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

class Scored(KeyedProcessFunction):
    def open(self, context):
        self.score = context.get_state(ValueStateDescriptor("score", Types.LONG()))

    def process_element(self, value, ctx):
        self.score.update((self.score.value() or 0) + 1)
        yield value
