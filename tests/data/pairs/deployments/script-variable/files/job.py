import os
import names
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
keyed = env.from_collection([1, 2]).key_by(lambda x: x)
keyed.reduce(lambda a, b: a).uid("sum-" + os.environ.get(names.suffix(), "none")).print().uid("out")
env.execute()
