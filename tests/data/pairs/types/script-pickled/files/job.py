from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from values import Level, Mark, Options, Pair, Seen, Session


class Keep(KeyedProcessFunction):
    def open(self, ctx):
        self.state = ctx.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        for one in (Seen(1), Mark(1, "x"), Pair(1, 2), Level.LOW, Session()):
            self.state.update(one)
        yield value


options = Options("events")
env = StreamExecutionEnvironment.get_execution_environment()
source = env.from_collection(["a"], type_info=Types.STRING()).uid("source")
source.key_by(lambda x: x, key_type=Types.STRING()).process(Keep(), output_type=Types.STRING()).uid("keep").print()
env.execute(options.topic)
