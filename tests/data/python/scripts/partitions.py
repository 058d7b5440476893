from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

numbers.rebalance().map(lambda x: x).name("A").forward().map(lambda x: x).name("B").rescale().map(lambda x: x).name("C").broadcast().map(lambda x: x).name("D").shuffle().map(lambda x: x).print()
env.execute("partitions")
