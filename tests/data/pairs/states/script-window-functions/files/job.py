from pyflink.common import Row, Time, Types
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TimeWindow, TumblingEventTimeWindows

class Visit(AggregateFunction):
    def create_accumulator(self):
        return 0, 0.0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value.seconds

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]

class Named(ProcessWindowFunction[tuple, str, str, TimeWindow]):
    def open(self, context):
        self.visits = context.get_state(ValueStateDescriptor("visits", Types.INT()))

    def process(self, key, context, elements):
        visits = self.visits
        number = (visits.value() or 0) + 1
        visits.update(number)
        for count, seconds in elements:
            yield f"{key} {number} {count} {seconds}"

env = StreamExecutionEnvironment.get_execution_environment()
lines = env.from_collection(["a,b,1.5,7"], Types.STRING()).uid("lines")

def click(line):
    user, page, seconds, at = line.split(",")
    return Row(user=user, page=page, seconds=float(seconds), at=int(at))

clicks = lines.map(click).uid("clicks")
keyed = clicks.key_by(lambda c: c.user, Types.STRING())
keyed.window(TumblingEventTimeWindows.of(Time.hours(1))).aggregate(
    Visit(), window_function=Named(), accumulator_type=Types.TUPLE([Types.INT(), Types.DOUBLE()]),
    output_type=Types.STRING()).uid("visits").print().uid("visits-out")
env.execute()
