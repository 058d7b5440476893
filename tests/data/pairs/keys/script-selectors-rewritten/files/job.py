from pyflink.common import Types
from pyflink.datastream import KeySelector, StreamExecutionEnvironment
from model import Order, parse
# helpers

env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_collection(["a"], type_info=Types.STRING()).map(parse)
orders.key_by(lambda o: o.id, key_type=Types.STRING()).reduce(lambda a, b: b).uid("last")
env.execute()
