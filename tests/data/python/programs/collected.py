from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

words = numbers.map(lambda n: (str(n), 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).uid("pairs")
counts = words.key_by(lambda w: w[0], key_type=Types.STRING()).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts")
with counts.execute_and_collect() as results:
    for result in results:
        print(result)
first = words.filter(lambda w: w[1] > 0).execute_and_collect("limited", 3)
numbers.rebalance().map(lambda n: n).execute_and_collect(limit=1)
