import os
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
stream = env.from_collection([1]).uid("in")
stream.print()
if os.getenv("A") == "1":
    stream.key_by(lambda x: x).reduce(lambda a, b: a).uid("first").print()

env.execute()
