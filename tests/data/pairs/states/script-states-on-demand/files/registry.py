import vendor
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Registry(KeyedProcessFunction):
    def open(self, context):
        self.context = context
        self.states = {}

    def state(self, name):
        if name not in self.states:
            self.states[name] = self.context.get_state(ValueStateDescriptor("r-" + name, Types.LONG()))
        return self.states[name]

    def process_element(self, x, c):
        length = len(x)
        self.state("total").update(length)
        yield x


@vendor.traced
def build(env):
    words = env.from_collection(["a"], type_info=Types.STRING()).key_by(lambda x: x, key_type=Types.STRING())
    words.process(Registry(), output_type=Types.STRING()).uid("registry").print().uid("out")


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env)
    env.execute()


if __name__ == "__main__":
    main()
