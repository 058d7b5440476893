from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
keyed = numbers.map(lambda x: x, output_type=Types.LONG()).uid("first").key_by(lambda x: x)
keyed.map(lambda x: x).uid("one").print()
keyed.reduce(lambda a, b: a).uid("two").print()
keyed.print()
env.execute("two keys")
