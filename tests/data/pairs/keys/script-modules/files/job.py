import argparse

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

from farm import states
from farm.readings import Reading

parser = argparse.ArgumentParser()
parser.add_argument("--title", default="farm")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")
readings = lines.map(lambda line: Reading(*line.split(","))).uid("parsed")
readings.key_by(lambda r: r.lane, key_type=Types.STRING()).process(states.Curve()).uid("curve").print().uid("out")
env.execute(parser.parse_args().title)
