from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2], Types.INT()).map(lambda x: x, Types.INT())
counted = numbers.key_by(lambda x: x, Types.INT()).reduce(lambda a, b: a)
counted.map(lambda x: x, Types.INT()).print()
env.execute()
