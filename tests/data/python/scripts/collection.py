from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

words = env.from_collection([("a", 1), ("b", 2)], type_info=Types.ROW([Types.STRING(), Types.INT()]))
words.print()
env.from_collection([1, 2, 3]).key_by(lambda x: x).print()
env.execute("collection")
