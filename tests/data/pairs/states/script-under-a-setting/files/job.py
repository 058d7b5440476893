import os
from pyflink.common import Types
from pyflink.datastream import (
    BroadcastProcessFunction, KeyedBroadcastProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment,
)
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import CountWindow
PARALLELISM = {"dev": 1, "prod": 8}.get(os.environ.get("STAGE", "dev"), 2)
KIND = Types.BOOLEAN()
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())
class Apply(KeyedBroadcastProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", KIND or Types.LONG()))
    def process_element(self, value, ctx):
        yield value
    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value, value)
class Alarm(ProcessWindowFunction[str, str, str, CountWindow]):
    LAST = ValueStateDescriptor("last-alarm", Types.LONG())
    def process(self, key, context, elements):
        context.global_state().get_state(self.LAST).update(1)
        context.window_state().get_list_state(ListStateDescriptor("fired", Types.STRING())).add(key)
        yield key
    def clear(self, context):
        context.window_state().get_list_state(ListStateDescriptor("fired", Types.STRING())).clear()
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(PARALLELISM)
words = env.from_collection(["a"], Types.STRING()).uid("words")
rules = words.map(str, Types.STRING()).uid("rules").filter(bool).uid("kept").broadcast(RULES)
applied = words.key_by(str, Types.STRING()).connect(rules).process(Apply(), Types.STRING()).uid("apply")
applied.key_by(str, Types.STRING()).count_window(3).process(Alarm(), Types.STRING()).uid("alarm").print()
env.execute()
