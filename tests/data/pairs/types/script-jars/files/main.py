from pyflink.common import SimpleStringSchema, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource

KAFKA = "3.1.0-1.18"

env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars("file:///opt/flink/lib/flink-sql-connector-kafka-3.1.0-1.18.jar")
source = KafkaSource.builder().set_topics("events").set_value_only_deserializer(SimpleStringSchema()).build()
events = env.from_source(source, WatermarkStrategy.no_watermarks(), "events").uid("events")
events.print().uid("out")
env.execute()
