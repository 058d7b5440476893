"""The second job starts from streams that the first one has used."""
from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")
cleaned = numbers.filter(lambda n: n > 3).name("Clean").map(lambda n: n * 2, output_type=Types.LONG()).name("Double")
cleaned.print()
env.execute("first")
cleaned.map(lambda n: str(n), output_type=Types.STRING()).name("Text").print()
env.execute_async("second")
cleaned.key_by(lambda n: n % 5).reduce(lambda a, b: a + b).name("Total").print()
env.execute("third")
