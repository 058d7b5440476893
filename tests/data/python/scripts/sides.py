from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

late = OutputTag("late", Types.LONG())


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


main = numbers.process(Split(), output_type=Types.LONG()).name("Split")
main.map(lambda x: x).print()
main.get_side_output(late).map(lambda x: x).print()
env.execute("sides")
