import argparse
import json
from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, StateTtlConfig, ValueStateDescriptor
from keys import Reading, Site

class Count(KeyedProcessFunction):
    def open(self, context):
        length = Time.milliseconds(int(Time.days(2).to_milliseconds()))
        descriptor = ValueStateDescriptor("count", Types.LONG())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(length).build())
        self.count = context.get_state(descriptor)
        self.last = context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value} {self.last.value()}"
        self.last.update(value)

def stage(stream, function, name):
    return stream.map(function, Types.STRING()).uid(name)

def of_tenant(line):
    return "tenant" + ":" + line

def parsed(line):
    raw = json.loads(line)
    return Reading(raw["name"].strip(), raw.get("place", "here"), int(raw["size"]))

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="conf/prod.json")
    args = parser.parse_args()
    with open(args.config) as file:
        conf = json.load(file)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(conf["parallelism"])
    text = Types.STRING()
    lines = stage(env.from_collection(["a"], type_info=text).uid("lines"), lambda line: line.strip(), "stripped")
    lines.key_by(lambda line: Site(line)).process(Count(), text).uid("sites").print().uid("sites-out")
    lines.key_by(of_tenant, key_type=text).process(Count(), text).uid("tenants").print().uid("tenants-out")
    lines.map(parsed).uid("parsed").key_by(lambda r: r.key(), key_type=text).process(Count(), text).uid(
        "readings").print().uid("readings-out")
    env.execute()

main()
