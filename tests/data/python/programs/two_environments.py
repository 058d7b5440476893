from pyflink.common import Configuration, Types
from pyflink.datastream import StreamExecutionEnvironment

fast = StreamExecutionEnvironment.get_execution_environment()
fast.set_parallelism(4)
config = Configuration()
config.set_integer("parallelism.default", 2).set_string("pipeline.max-parallelism", "64")
slow = StreamExecutionEnvironment.get_execution_environment(config)

left = fast.from_collection([(1, "a")], Types.TUPLE([Types.INT(), Types.STRING()]))
right = slow.from_collection([(2, "b")], Types.TUPLE([Types.INT(), Types.STRING()]))
left.map(lambda t: t[1], Types.STRING()).name("Names").print()
right.key_by(lambda t: t[0]).map(lambda t: t[1], Types.STRING()).name("Keyed names").uid("keyed-names").print()
slow.execute("slow")
fast.execute("fast")
