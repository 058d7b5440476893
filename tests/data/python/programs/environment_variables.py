import logging
import os
import sys

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.execution_mode import RuntimeExecutionMode

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
BROKERS = os.environ.get("NO_SUCH_BROKERS", "localhost:9092")
IS_LOCAL = os.environ.get("NO_SUCH_LOCAL") is not None
props = {"bootstrap.servers": BROKERS}

env = StreamExecutionEnvironment.get_execution_environment()
env.set_runtime_mode(RuntimeExecutionMode.STREAMING)
env.set_parallelism(2)
env.enable_checkpointing(60_000)
env.get_checkpoint_config().set_min_pause_between_checkpoints(1000)
if IS_LOCAL:
    logging.info("running locally with %s", props)
stream = env.from_collection([{"a": 1}])
stream.map(lambda d: d["a"], Types.INT()).name("Values").uid("values").key_by(lambda v: v).sum().uid("sum").print()
env.execute("environment")
