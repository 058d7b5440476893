from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
class Both(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


more = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "More")
numbers.key_by(lambda x: x).connect(more.map(lambda x: x).key_by(lambda x: x)).process(Both()).map(lambda x: x).print()
numbers.connect(more).key_by(lambda x: x, lambda x: x).process(Both()).name("Again").print()
env.execute("keyed connected")
