from functools import lru_cache

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


@lru_cache(maxsize=None)
def name(of):
    return "n-" + of


class Counting(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor(name("words"), Types.LONG()))

    def process_element(self, x, c):
        self.count.update(1)
        yield x


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    words = env.from_collection(["a"], type_info=Types.STRING()).key_by(lambda x: x, key_type=Types.STRING())
    words.process(Counting(), output_type=Types.STRING()).uid("counting").print().uid("out")
    env.execute()


if __name__ == "__main__":
    main()
