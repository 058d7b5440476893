from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")

def steps(stream, names):
    for number, name in enumerate(names):
        stream = stream.map(lambda x: x, output_type=Types.LONG()).name(name).uid(f"step-{number}")
        if number % 2:
            stream = stream.rebalance()
    return stream


def main():
    steps(numbers, ["one", "two", "three"]).print()
    env.execute("loop")


if __name__ == "__main__":
    main()
