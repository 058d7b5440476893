from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
more = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "More")
numbers.key_by(lambda x: x).union(more).map(lambda x: x).set_parallelism(3).print()
env.execute("keyed union")
