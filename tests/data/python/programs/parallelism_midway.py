from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
early = env.from_collection([1], Types.INT()).map(lambda n: n, Types.INT()).name("Early")
env.set_parallelism(3)
later = early.map(lambda n: n, Types.INT()).name("Later")
env.set_parallelism(env.get_parallelism() * 2)
later.rebalance().filter(lambda n: True).name("Latest").print()
early.key_by(lambda n: n).sum().print()
env.get_config().set_parallelism(5)
later.map(lambda n: n, Types.INT()).name("Last").print()
env.execute("parallelism midway")
