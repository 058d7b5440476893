"""Only what is reached from registered operators becomes part of the job; a source alone does not."""
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
unused = env.from_collection([0], Types.INT()).name("Unused")
dead_end = env.from_collection([1], Types.INT()).name("Used").map(lambda n: n, Types.INT()).name("Dead end")
partitioned = dead_end.rebalance()
keyed = dead_end.key_by(lambda n: n)
env.from_collection([2], Types.INT()).name("Printed").print()
env.execute("unfinished")
