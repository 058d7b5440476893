from pyflink.common import Duration, Time, Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor, StateTtlConfig, ValueStateDescriptor

from steps import Part, Seen

RETENTION = Time.days(30)

def expiring(descriptor, length):
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(length).build())
    return descriptor

class Keep(KeyedProcessFunction):
    def __init__(self, days):
        self.days = days
        self.first = ValueStateDescriptor("first", Types.STRING())

    def open(self, context):
        long = Types.LONG()
        self.a = context.get_state(expiring(ValueStateDescriptor("a", long), Time.days(self.days)))
        self.b = context.get_state(expiring(ValueStateDescriptor("b", long), Time.days(days=3)))
        self.c = context.get_state(expiring(ValueStateDescriptor("c", long), RETENTION))
        builder = StateTtlConfig.new_builder(Duration.of_hours(4))
        builder.set_ttl(Duration.of_hours(6))
        built = ValueStateDescriptor("d", long)
        built.enable_time_to_live(builder.build())
        self.d = context.get_state(built)
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))
        self.by_part = context.get_map_state(MapStateDescriptor("parts", Types.PICKLED_BYTE_ARRAY(), long))

    def process_element(self, value, ctx):
        self.seen.update(Seen(value))
        self.by_part.put(Part(value), 1)
        yield value
