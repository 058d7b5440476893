from pyflink.common import Types
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from parts.base import Base, Timing

class Alerts(Timing, Base):
    EXTRA = True

    def open(self, context):
        super().open(context)
        self._open_waiting(context)
        if self.EXTRA:
            self.last = context.get_state(ValueStateDescriptor("last", Types.LONG()))

    def _open_waiting(self, context):
        self.waiting = context.get_list_state(ListStateDescriptor("waiting", Types.LONG()))

    def process_element(self, value, ctx):
        self.places.put(value[0], value[1])
        self.waiting.add(value[1])
        self.last.update(value[1])
        yield f"{value[0]} {self.sum_up(value)}"
        self.schedule(ctx)
