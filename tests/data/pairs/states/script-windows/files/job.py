from pyflink.common import Types
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import Time, TumblingEventTimeWindows

class Visits(ProcessWindowFunction):
    def open(self, ctx):
        self.visits = ValueStateDescriptor("visits", Types.LONG())

    def process(self, key, context, elements):
        visits = context.global_state().get_state(self.visits)
        visits.update((visits.value() or 0) + 1)
        yield f"{key} {visits.value()}"

env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
keyed = items.key_by(lambda item: item, key_type=Types.STRING())
hours = keyed.window(TumblingEventTimeWindows.of(Time.hours(1)))
hours.process(Visits(), output_type=Types.STRING()).uid("visits").print().uid("visited")
env.execute()
