from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.datastream.functions import Partitioner


class Modulo(Partitioner):
    def partition(self, key, num_partitions):
        return key % num_partitions


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

numbers.key_by(lambda n: n).map(lambda n: n, Types.LONG()).partition_custom(Modulo(), lambda n: n).map(
    lambda n: n, Types.LONG()
).set_parallelism(5).partition_custom(lambda k, n: k % n, lambda n: n).print()
numbers.partition_custom(Modulo(), lambda n: n).union(numbers.key_by(lambda n: n)).filter(lambda n: True).print()
env.execute("custom partitions")
