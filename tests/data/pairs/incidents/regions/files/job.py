from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import KeyedProcessFunction, RuntimeContext
from pyflink.datastream.state import ValueStateDescriptor

PREFIX = "kept"


class Keep(KeyedProcessFunction):
    def open(self, context: RuntimeContext):
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, context):
        self.last.update(value)
        yield value


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    lines = env.from_collection(["a"], Types.STRING()).uid("lines")
    for place, region in enumerate(["north", "south"]):
        keyed = lines.key_by(lambda line: line, Types.STRING())
        keyed.process(Keep(), Types.STRING()).name(f"seen in the {region}").uid(f"seen-{place}")
    for shelf in ("front", "back"):
        own = env.from_collection([shelf], Types.STRING()).uid(f"from-{shelf}")
        own.key_by(lambda line: line, Types.STRING()).process(Keep(), Types.STRING()).uid(f"{PREFIX}-{shelf}")
    for place, drawer in enumerate(["upper", "lower"]):
        own = env.from_collection([drawer], Types.STRING()).uid(f"drawer-{place}")
        own.key_by(lambda line: line, Types.STRING()).process(Keep(), Types.STRING()).uid(f"in-{place}")
    for uid, topic in zip(["first", "second"], ["orders", "users"], strict=True):
        keyed = lines.filter(lambda line, topic=topic: topic in line).uid(f"of-{uid}").key_by(lambda line: line)
        keyed.process(Keep(), Types.STRING()).uid(uid)
    env.execute("regions")


if __name__ == "__main__":
    main()
