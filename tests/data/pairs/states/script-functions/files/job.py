import argparse

from pyflink.common import Time, Types
from pyflink.datastream import FlatMapFunction, KeySelector, MapFunction, ProcessWindowFunction
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows

from states import Keep
from steps import EveryN, KeyOf, cut, normal

class Size(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key

class Same(MapFunction):
    def map(self, value):
        return value

class Parts(FlatMapFunction):
    def flat_map(self, value):
        yield value

class ByName(KeySelector):
    def __init__(self, width):
        self.width = width
        self.color = "red"

    def get_key(self, value):
        return self.name(value)[:self.width]

    def name(self, value):
        return value.strip()

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=7)
    args = parser.parse_args()
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    lines = env.from_collection(["a"], type_info=text).uid("lines")
    same = lines.map(Same(), text).uid("same").flat_map(Parts(), text).uid("parts")
    gap = EventTimeSessionWindows.with_gap(Time.minutes(5))
    same.key_by(normal, key_type=text).window(gap).process(Size(), text).uid("sessions").print()
    hours = TumblingEventTimeWindows.of(Time.hours(1))
    same.key_by(lambda v: cut(v, 7), key_type=text).window(hours).trigger(EveryN(3)).process(Size(), text).uid(
        "hours").print()
    lines.key_by(lambda v: cut(v, 1), key_type=text).process(Keep(args.days), text).uid("cuts").print()
    lines.key_by(lambda v: KeyOf(v)).process(Keep(args.days), text).uid("objects").print()
    lines.key_by(ByName(3), key_type=text).process(Keep(args.days), text).uid("names").print()
    env.execute()

main()
