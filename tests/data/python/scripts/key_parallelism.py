from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
numbers.map(lambda x: x).set_parallelism(4).key_by(lambda x: x).map(lambda x: x).set_parallelism(1).map(lambda x: x).print().set_parallelism(1)
numbers.set_parallelism(3).partition_custom(lambda k, n: 0, lambda x: x).filter(lambda x: True).set_parallelism(5).print()
env.execute("key parallelism")
