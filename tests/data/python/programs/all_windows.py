from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.common.time import Time
from pyflink.datastream.functions import AggregateFunction, ProcessAllWindowFunction, ProcessWindowFunction, WindowFunction
from pyflink.datastream.output_tag import OutputTag
from pyflink.datastream.window import (
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingProcessingTimeWindows,
    TumblingProcessingTimeWindows,
)


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 1000


class Whole(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield len(list(elements))


class Apply(WindowFunction):
    def apply(self, key, window, inputs):
        yield key


class Everything(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield len(list(elements))


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

LATE = OutputTag("late", Types.LONG())
keyed = numbers.key_by(lambda n: n % 10)
keyed.window(EventTimeSessionWindows.with_gap(Time.minutes(5))).process(Whole(), Types.INT()).uid("session").print()
keyed.window(EventTimeSessionWindows.with_dynamic_gap(Gap())).apply(Apply(), Types.LONG()).uid("dynamic").print()
keyed.window(ProcessingTimeSessionWindows.with_dynamic_gap(Gap())).reduce(lambda a, b: a + b).uid("dynamic-processing").print()
keyed.window(SlidingProcessingTimeWindows.of(Time.seconds(10), Time.seconds(5))).aggregate(
    Count(), window_function=Whole(), accumulator_type=Types.INT(), output_type=Types.INT()
).uid("sliding").print()
late = keyed.window(TumblingProcessingTimeWindows.of(Time.seconds(3))).allowed_lateness(10).side_output_late_data(LATE).reduce(
    lambda a, b: a, window_function=Whole(), output_type=Types.INT()
)
late.get_side_output(LATE).name("Late").print()
keyed.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(5))).apply(Apply()).print()
keyed.count_window(10, 2).reduce(lambda a, b: b).name("Counted").print()
numbers.window_all(TumblingProcessingTimeWindows.of(Time.seconds(1))).process(Everything(), output_type=Types.INT()).set_parallelism(1).print()
env.execute("all windows")
