from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.common.time import Time
from pyflink.datastream import RuntimeContext
from pyflink.datastream.functions import KeyedProcessFunction, MapFunction, RuntimeContext as Context
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ReducingStateDescriptor, StateTtlConfig, ValueStateDescriptor


class Detector(KeyedProcessFunction):
    COUNT = "count"

    def __init__(self, threshold: int = 5):
        self.threshold = threshold
        self.count = None
        self.seen = None

    def open(self, context: RuntimeContext):
        descriptor = ValueStateDescriptor(self.COUNT, Types.LONG())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.hours(1)).build())
        self.count = context.get_state(descriptor)
        self.seen = context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.LONG()))
        self.buffer = context.get_list_state(ListStateDescriptor("buffer", Types.ROW([Types.LONG(), Types.STRING()])))

    def process_element(self, value, ctx: "KeyedProcessFunction.Context"):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(1000)
        yield value

    def on_timer(self, timestamp, ctx):
        yield 0


class Keyed(MapFunction):
    def open(self, runtime_context: Context):
        self.total = runtime_context.get_reducing_state(ReducingStateDescriptor("total", lambda a, b: a + b, Types.LONG()))

    def map(self, value):
        self.total.add(value)
        return self.total.get()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

keyed = numbers.key_by(lambda n: n % 3, key_type=Types.LONG())
keyed.process(Detector(threshold=7), output_type=Types.LONG()).uid("detector").name("Detector").print()
keyed.map(Keyed(), output_type=Types.LONG()).uid("keyed-map").filter(lambda n: n > 10).name("Above").print()
keyed.filter(lambda n: n > 1).flat_map(lambda n: [n]).max().min_by(0) if False else keyed.max(0).uid("max").print()
env.execute("states")
