from dataclasses import dataclass
from operator import attrgetter, itemgetter

from pyflink.common import Types
from pyflink.datastream import KeyedCoProcessFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

@dataclass(frozen=True)
class Ride:
    car: str
    zone: str

class Day(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, ride, ctx):
        self.last.update(Ride(ride.car, ride.zone))
        yield ride.car, 1, ride.zone

class Pricing(KeyedCoProcessFunction):
    def open(self, context):
        self.base = context.get_state(ValueStateDescriptor("base", Types.LONG()))

    def process_element1(self, day, ctx):
        yield f"{day[0]} {self.base.value()}"

    def process_element2(self, price, ctx):
        self.base.update(price[1])

env = StreamExecutionEnvironment.get_execution_environment()
text = Types.STRING()
rides = env.from_collection(["a;z"], type_info=text).uid("lines").map(lambda line: Ride(*line.split(";"))).uid("rides")
days = rides.key_by(lambda ride: ride.car, key_type=text).process(Day()).uid("day")
prices = env.from_collection([("z", 1)], type_info=Types.TUPLE([text, Types.LONG()])).uid("prices")
both = days.connect(prices).key_by(lambda s: s[0], lambda p: p[0], key_type=text)
both.process(Pricing(), output_type=text).uid("pricing").print().uid("out")
env.execute()
