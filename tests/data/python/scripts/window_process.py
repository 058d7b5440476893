from pyflink.common import Types, WatermarkStrategy
from pyflink.common.time import Time
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
class Collect(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key


class Total(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return value

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a


late = OutputTag("late", Types.LONG())
windowed = numbers.key_by(lambda x: x).window(SlidingEventTimeWindows.of(Time.seconds(5), Time.seconds(1))).allowed_lateness(3).side_output_late_data(late).process(Collect(), Types.LONG()).uid("window")
windowed.print()
windowed.get_side_output(late).print()
numbers.key_by(lambda x: x).count_window(5).aggregate(Total()).print()
env.execute("window process")
