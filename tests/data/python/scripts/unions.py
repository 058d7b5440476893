from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

a = numbers.map(lambda x: x, output_type=Types.LONG()).name("A")
b = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "More").filter(lambda x: True).name("B")
a.union(b).map(lambda x: x).name("C").print()
env.execute("unions")
