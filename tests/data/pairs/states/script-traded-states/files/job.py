from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

class Account(KeyedProcessFunction):
    def open(self, context):
        self.paid = self.counter(context, "paid")
        self.owed = self.counter(context, "owed")
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))
        self.days = {d: context.get_state(ValueStateDescriptor(d, Types.LONG())) for d in ("today", "before")}

    def counter(self, context, name):
        return context.get_state(ValueStateDescriptor(name, Types.LONG()))

    def process_element(self, value, ctx):
        self.paid.update((self.paid.value() or 0) + 1)
        yield f"{self.paid.value()} {self.owed.value()} {self.last.value()} {self.days}"

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    env.from_collection(["a"], type_info=text).uid("lines").key_by(lambda x: x, key_type=text).process(
        Account(), text).uid("account").print().uid("out")
    env.execute()

main()
