from pyflink.common import Configuration, Types
from pyflink.datastream import StreamExecutionEnvironment

config = Configuration()
config.set_boolean("python.operator-chaining.enabled", False)
config.set_string("pipeline.operator-chaining.chain-operators-with-different-max-parallelism", "false")
env = StreamExecutionEnvironment.get_execution_environment(config)
env.set_parallelism(2)
stream = env.from_collection([1], Types.INT())
stream = stream.rebalance().map(lambda n: n, Types.INT()).set_max_parallelism(10).map(lambda n: n, Types.INT()).set_max_parallelism(20)
stream.key_by(lambda n: n).map(lambda n: n, Types.INT()).print()
env.execute("python chaining off")
