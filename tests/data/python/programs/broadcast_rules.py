from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())
LIMITS = MapStateDescriptor("limits", Types.STRING(), Types.LONG())


class Apply(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("x", value)


class KeyedApply(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("x", value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

rules = env.from_collection([1, 2], Types.LONG()).name("Rules").uid("rules-source")
broadcast = rules.broadcast(RULES, LIMITS)
numbers.connect(broadcast).process(Apply(), Types.LONG()).uid("apply").print()
numbers.key_by(lambda n: n % 4).connect(broadcast).process(KeyedApply(), output_type=Types.LONG()).uid("keyed-apply").map(
    lambda n: n, Types.LONG()
).print()
env.execute("broadcast rules")
