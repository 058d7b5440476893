import argparse, os, sys
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--host", required=True)
    # an option
    args = parser.parse_args()
    prefix = os.environ["PREFIX"]
    mode = os.environ.get("MODE", "full")
    first = sys.argv[1]
    # more
    topic = args.topic
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_topics(topic).build()
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
    lines.key_by(lambda x: x).reduce(lambda a, b: a + b).uid("sum").print()
    env.execute()
main()
