import json
import os

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.table import AggregateFunction, DataTypes, StreamTableEnvironment
from pyflink.table.udf import udaf

PROPERTIES = "/etc/flink/application_properties.json"
is_local = True if os.environ.get("IS_LOCAL") else False

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
t_env = StreamTableEnvironment.create(env)
if is_local:
    PROPERTIES = "application_properties.json"
    here = os.path.dirname(os.path.realpath(__file__))
    t_env.get_config().get_configuration().set_string("pipeline.jars", "file:///" + here + "/target/all.jar")


def get_application_properties():
    if os.path.isfile(PROPERTIES):
        with open(PROPERTIES, "r") as file:
            return json.loads(file.read())
    print("there are no properties")


def property_map(props, group):
    for prop in props:
        if prop["PropertyGroupId"] == group:
            return prop["PropertyMap"]


class Mean(AggregateFunction):
    def create_accumulator(self):
        return [0.0, 0]

    def get_accumulator_type(self):
        return DataTypes.ROW([DataTypes.FIELD("sum", DataTypes.DOUBLE()), DataTypes.FIELD("n", DataTypes.BIGINT())])

    def get_result_type(self):
        return DataTypes.DOUBLE()

    def accumulate(self, accumulator, value):
        accumulator[0] += value
        accumulator[1] += 1

    def get_value(self, accumulator):
        return accumulator[0] / accumulator[1]


class Count(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.LONG()))

    def process_element(self, value, ctx):
        self.seen.update((self.seen.value() or 0) + 1)
        yield f"{value[0]} {self.seen.value()}"


def tables(source, sink):
    start = source["start"] if "start" in source else None
    if start == "AT_TIMESTAMP":
        raise ValueError("a timestamp is needed")
    t_env.execute_sql(f"""CREATE TABLE trades (ticker STRING, price DOUBLE) WITH (
        'connector' = 'kafka', 'topic' = '{source["topic"]}', 'scan.startup.mode' = '{source["mode"]}',
        'properties.bootstrap.servers' = '{source["servers"]}', 'format' = 'json')""")
    t_env.execute_sql(f"""CREATE TABLE totals (ticker STRING, total DOUBLE) WITH (
        'connector' = 'somewhere', 'url' = '{sink["url"]}')""")
    # sinks


def main():
    props = get_application_properties()
    tables(property_map(props, "source"), property_map(props, "sink"))
    # functions
    trades = t_env.to_data_stream(t_env.from_path("trades"))
    counts = trades.key_by(lambda trade: trade[0], Types.STRING()).process(Count(), Types.STRING()).uid("count")
    t_env.create_temporary_view("counts", t_env.from_data_stream(counts).alias("text"))
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT INTO totals SELECT ticker, SUM(price) FROM trades GROUP BY ticker")
    statements.add_insert_sql("INSERT INTO totals SELECT text, 1.0 FROM counts")
    statements.execute()


if __name__ == "__main__":
    main()
