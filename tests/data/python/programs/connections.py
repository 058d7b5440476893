from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.datastream import OutputTag
from pyflink.datastream.functions import CoFlatMapFunction, CoMapFunction, CoProcessFunction, KeyedCoProcessFunction, ProcessFunction


class Both(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class Flat(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


class Process(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class KeyedProcess(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class Split(ProcessFunction):
    def __init__(self, *tags):
        self.tags = tags

    def process_element(self, value, ctx):
        yield value
        for tag in self.tags:
            yield tag, value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

EVEN, ODD = OutputTag("even", Types.LONG()), OutputTag("odd")
split = numbers.process(Split(EVEN, ODD), Types.LONG()).uid("split").name("Split")
even = split.get_side_output(EVEN)
odd = split.get_side_output(ODD).name("Odd").uid("odd")
even.connect(odd).map(Both(), Types.LONG()).name("Merged").uid("merged").print()
even.key_by(lambda n: n).connect(odd.key_by(lambda n: n)).flat_map(Flat(), Types.LONG()).uid("flat").print()
even.connect(odd).key_by(lambda n: n, lambda n: n).map(Both()).uid("keyed-map").print()
even.key_by(lambda n: n).connect(odd).process(Process()).uid("half-keyed").print()
even.key_by(lambda n: n).connect(odd.key_by(lambda n: n)).key_by(lambda n: -n, lambda n: -n).process(KeyedProcess()).uid("re-keyed").print()
env.execute("connections")
