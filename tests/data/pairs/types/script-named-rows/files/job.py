from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
CLICK = Types.ROW_NAMED(["user", "page"], [Types.STRING(), Types.STRING()])
class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", CLICK))
    def process_element(self, value, ctx):
        self.last.update(value)
env = StreamExecutionEnvironment.get_execution_environment()
clicks = env.from_collection([("a", "b")], CLICK).uid("clicks")
clicks.key_by(lambda click: click.user, Types.STRING()).process(Last()).uid("last")
env.execute()
