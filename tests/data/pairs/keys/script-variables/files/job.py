import os
import pickle

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, KeySelector, MapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor

from seen import Seen

with open("model.pkl", "rb") as file:
    model = pickle.load(file)

class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        if self.seen.value() is None:
            self.seen.update(Seen(value, 1))
        yield f"{os.environ.get('LABEL', '')} {value} {number} {self.seen.value().at}"

class Tag(MapFunction):
    def map(self, value):
        return model.tag(os.environ["SALT"] + value), model.score(value)

class OfTenant(KeySelector):
    def get_key(self, value):
        return os.getenv("TENANT") + value

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    text = Types.STRING()
    lines = env.from_collection(["a"], type_info=text).uid("lines")
    tagged = lines.map(Tag(), Types.TUPLE([text, Types.LONG()])).uid("tagged")
    tagged.key_by(lambda v: v[0], key_type=text).process(Count(), text).uid("tags").print().uid("out")
    lines.key_by(OfTenant(), key_type=text).process(Count(), text).uid("tenants").print().uid("tenants-out")
    env.execute("tags")

if __name__ == "__main__":
    main()
