import argparse
import json
from pathlib import Path
import yaml
from pyflink.common import Row, SimpleStringSchema, Types, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
from pyflink.datastream.state import MapStateDescriptor
NAMES = ["shop", "kind", "amount"]
ORDER = Types.ROW_NAMED(NAMES, [Types.STRING(), Types.STRING(), Types.DOUBLE()])
def parsed(line):
    doc = json.loads(line)
    kind = doc["kind"].upper()
    return Row(doc["shop"].strip(), kind, float(doc["amount"]))
def size(amount):
    for limit, name in ((10, "small"), (100, "middle")):
        if amount < limit:
            return name
    return "large"
class Totals(KeyedProcessFunction):
    def __init__(self, name):
        self.name = name
    def open(self, context):
        self.totals = context.get_map_state(MapStateDescriptor(self.name, Types.STRING(), Types.DOUBLE()))
        self.sizes = context.get_map_state(MapStateDescriptor("sizes", Types.STRING(), Types.INT()))
    def process_element(self, order, ctx):
        self.totals.put(order.kind, (self.totals.get(order.kind) or 0.0) + order.amount)
        self.sizes.put(size(order.amount), (self.sizes.get(size(order.amount)) or 0) + 1)
        if order.amount > 100:
            yield Row(shop=order.shop, what="large")
class Last(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.INT()))
    def process_element(self, row, ctx):
        self.seen.put(row.what, 1 + (self.seen.get(row.what) or 0))
        yield str(row)
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="conf/job.yaml")
    with open(parser.parse_args().config) as file:
        settings = yaml.safe_load(file)
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_topics(settings["topic"]).set_bootstrap_servers(settings["brokers"])
    source = source.set_value_only_deserializer(SimpleStringSchema()).build()
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("orders")
    keyed = orders.map(parsed, output_type=ORDER).uid("parsed").key_by(lambda o: o.shop, key_type=Types.STRING())
    rows = Types.ROW_NAMED(["shop", "what"], [Types.STRING(), Types.STRING()])
    large = keyed.process(Totals(settings["state"]["name"]), output_type=rows).uid("totals")
    large.key_by(lambda r: r.shop, key_type=Types.STRING()).process(Last()).uid("last").print()
    env.execute()
main()
