from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer
from pyflink.datastream.formats.json import JsonRowDeserializationSchema
from pyflink.datastream.window import CountWindow, ProcessWindowFunction
JAR = "kafka.jar"
FIELDS = {"node": Types.STRING(), "status": Types.STRING()}
def source(fields):
    names = list(fields)
    rows = Types.ROW_NAMED(names, [fields[name] for name in names])
    return FlinkKafkaConsumer("topic", JsonRowDeserializationSchema.builder().type_info(rows).build(), {})
class Alarm(ProcessWindowFunction[str, str, str, CountWindow]):
    def process(self, key, context, elements):
        yield key
env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars(JAR)
env.add_source(source(FIELDS)).filter(bool).key_by(lambda x: x["node"]).count_window(3).process(Alarm()).print()
env.execute()
