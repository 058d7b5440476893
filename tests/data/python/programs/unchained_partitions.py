from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

env.disable_operator_chaining()
numbers.rebalance().map(lambda n: n, Types.LONG()).rescale().map(lambda n: n, Types.LONG()).set_parallelism(4).shuffle().map(
    lambda n: n, Types.LONG()
).forward().map(lambda n: n, Types.LONG()).broadcast().map(lambda n: n, Types.LONG()).print()
env.execute("partitioned")
