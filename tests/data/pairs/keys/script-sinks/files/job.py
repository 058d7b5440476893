import pickle

from pyflink.common import Types
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink

PREFIX = "out-"

def sink(topic):
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(
        SimpleStringSchema()).build()
    return KafkaSink.builder().set_bootstrap_servers("kafka:9092").set_record_serializer(schema).build()

with open("model.pickle", "rb") as file:
    model = pickle.load(file)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
lines.map(str.lower, output_type=Types.STRING()).name("lower").uid("lower").sink_to(sink("a")).uid(PREFIX + "a")
lines.map(model.predict, output_type=Types.STRING()).name("score").uid("score").sink_to(sink("b")).uid(PREFIX + "b")
env.execute("sinks")
