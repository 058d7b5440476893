import os
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer
from store import config
topic = config.get("topic")
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(FlinkKafkaConsumer(topic, SimpleStringSchema(), {})).uid("in").print().uid("out")
env.execute()
