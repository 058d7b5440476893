from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Lookup(AsyncFunction):
    async def async_invoke(self, value):
        return [value, value + 1]

    def timeout(self, value):
        return [value]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_collection([1, 2], Types.INT()).map(lambda n: n, Types.INT()).name("Before")
looked_up = AsyncDataStream.unordered_wait(numbers, Lookup(), Time.seconds(5), 10, Types.INT())
looked_up.filter(lambda n: n > 1).name("After").print()
AsyncDataStream.ordered_wait(numbers.rebalance(), Lookup(), Time.seconds(5), output_type=Types.INT()).uid("ordered").print()
env.execute("async")
