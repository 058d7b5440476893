from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

base = numbers.map(lambda x: x).name("Base")
base.filter(lambda x: x > 1).name("Left").print()
base.map(lambda x: x).name("Right").map(lambda x: x).print()
env.execute("branches")
