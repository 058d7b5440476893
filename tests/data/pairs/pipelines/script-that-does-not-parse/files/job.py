from pyflink.datastream import StreamExecutionEnvironment
from maths import one

def main(:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).uid("in").key_by(lambda v: v).reduce(lambda a, b: a + b).uid("n").print().uid("out")
    env.execute()
