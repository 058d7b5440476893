from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def load(env):
    words = env.from_collection(["a", "b"], type_info=Types.STRING())
    words.map(lambda word: word.upper(), output_type=Types.STRING()).uid("upper").print()


def count(env):
    numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
    numbers.key_by(lambda n: n % 2).sum().uid("sum").print()


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(3)
    load(env)
    env.execute("load")
    count(env)
    env.execute("count")


if __name__ == "__main__":
    main()
