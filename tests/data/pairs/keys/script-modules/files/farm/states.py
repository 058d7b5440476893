from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

class Curve(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        before = self.last.value()
        self.last.update(value.describe())
        yield before
