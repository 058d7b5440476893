from pyflink.common import Types
from pyflink.datastream.state import ValueStateDescriptor

class Store:
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def save(self, value):
        self.last.update(value)
