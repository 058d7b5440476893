from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
stream = env.from_collection([1], Types.INT())
for _ in range(2):
    stream.map(lambda n: n, Types.INT()).uid("twice").print()
env.execute("colliding")
