from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

class Both(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


more = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "More")
numbers.map(lambda x: x).connect(more.map(lambda x: x)).map(Both()).map(lambda x: x).print()
env.execute("connected")
