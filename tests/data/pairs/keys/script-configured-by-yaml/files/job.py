import json
import sys

import yaml
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

class Days(KeyedProcessFunction):
    def open(self, context):
        self.days = context.get_map_state(MapStateDescriptor("days", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        day = self._day(ctx.timestamp())
        self.days.put(day, (self.days.get(day) or 0) + 1)
        yield value[0]

    def _day(self, timestamp):
        return str(timestamp // 86400000)

def customer(line):
    raw = json.loads(line)
    return raw["customer"], raw["amount"]

class Job:
    def __init__(self, path):
        with open(path) as file:
            self.config = yaml.safe_load(file)
        self.env = StreamExecutionEnvironment.get_execution_environment()

    def uid(self, name):
        return f"{self.config['uids']['prefix']}-{name}"

    def stage(self, stream, function, name, output_type):
        return stream.map(function, output_type).uid(self.uid(name))

    def run(self):
        pair, text = Types.TUPLE([Types.STRING(), Types.INT()]), Types.STRING()
        lines = self.env.from_collection(["a"], type_info=text).uid(self.uid("lines"))
        pairs = self.stage(lines, customer, "pairs", pair)
        pairs.key_by(lambda p: p[0], key_type=text).process(Days(), text).uid(self.uid("days")).print()
        self.env.execute("days")

Job(sys.argv[1] if len(sys.argv) > 1 else "config.yaml").run()
