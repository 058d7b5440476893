from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import CoMapFunction


class Same(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_collection(list(range(10)), Types.INT())
even = numbers.filter(lambda n: n % 2 == 0).name("Even").map(lambda n: n * 2, Types.INT()).name("Doubled")
odd = numbers.filter(lambda n: n % 2).name("Odd")
three = numbers.filter(lambda n: n % 3 == 0).name("Three").map(lambda n: -n, Types.INT()).name("Negated")
even.union(odd, three).map(lambda n: n, Types.INT()).name("All").print()
odd.union(odd).print()
tail = numbers.map(lambda n: n, Types.INT()).name("First").map(lambda n: n, Types.INT()).name("Second")
tail.connect(tail).map(Same(), Types.INT()).name("Twice").print()
env.execute("split and joined")
