import functools
from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, KeySelector, StreamExecutionEnvironment
from pyflink.datastream.state import (
    ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor,
)
PREFIX = "seen"
NAMES = ("first", "last")
RULES = ["a", "b", "c"]
TTL = True
def key_of(x):
    return x[1]
class Count(KeyedProcessFunction):
    def __init__(self, limit=3):
        self.limit = limit
        self.names = [f"{PREFIX}-{n}" for n in range(2)]
    def open(self, context):
        descriptor = ValueStateDescriptor("count", Types.LONG())
        if TTL:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
        self.count = context.get_state(descriptor)
        self.all = {n: context.get_list_state(ListStateDescriptor(n, Types.STRING())) for n in self.names}
        self.register(context)
    def register(self, context):
        for n in NAMES:
            setattr(self, n, context.get_map_state(MapStateDescriptor(n, Types.STRING(), Types.INT())))
    def process_element(self, value, ctx):
        self.count.update(1)
        yield value
def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    s = env.from_collection([(1, "a")], type_info=Types.TUPLE([Types.INT(), Types.STRING()]))
    s = s.key_by(key_of, key_type=Types.STRING()).process(Count(), output_type=Types.INT()).uid("count")
    for i, rule in enumerate(RULES):
        s.filter(lambda x, rule=rule: x == rule).key_by(lambda x: x).process(Count()).uid(f"rule-{i}").print()
    env.execute()
main()
