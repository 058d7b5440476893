from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

class Timing:
    DELAY = 60

    def schedule(self, ctx):
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + self.DELAY)

class Root(KeyedProcessFunction):
    STATE = "total"

    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor(self.STATE, Types.LONG()))

class Base(Root):
    def open(self, context):
        super().open(context)
        self.places = context.get_map_state(MapStateDescriptor("places", Types.STRING(), Types.LONG()))

    def sum_up(self, value):
        total = (self.total.value() or 0) + value[1]
        self.total.update(total)
        return total
