from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a"], Types.STRING()).uid("lines")
keyed = lines.key_by(lambda line: line, Types.STRING())
keyed.reduce(lambda a, b: b).uid("sum").print().uid("out")
env.execute()
