import numpy
from acme_flink import Remember, cleaned, first_word
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a b"], Types.STRING()).uid("lines")
lines.key_by(lambda line: line, Types.STRING()).reduce(lambda one, two: two).uid("last").print().uid("out")
env.execute("visits")
