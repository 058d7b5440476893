from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

class Rules(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        pass


rules = MapStateDescriptor("rules", Types.LONG(), Types.LONG())
more = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "More")
numbers.map(lambda x: x).connect(more.map(lambda x: x).broadcast(rules)).process(Rules()).map(lambda x: x).print()
env.execute("broadcast state")
