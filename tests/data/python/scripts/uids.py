from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

numbers.uid("in").map(lambda x: x).uid("map").filter(lambda x: True).uid("filter").key_by(lambda x: x).reduce(lambda a, b: a).uid("sum").print().uid("out").name("Out")
env.execute()
