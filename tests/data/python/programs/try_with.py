import contextlib
import logging
import sys

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

try:
    SETTINGS = {"parallelism": 3}
    LIMIT = SETTINGS["limit"]
except KeyError:
    LIMIT = 10
else:
    LIMIT = 20
finally:
    logging.info("settings read")


class Timer:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        logging.info("done")

    def scaled(self, number):
        return number * 2


def build(env):
    with Timer() as timer, contextlib.suppress(ValueError):
        stream = env.from_collection([1, 2], Types.INT())
        if LIMIT == 10:
            stream = stream.filter(lambda x: x < LIMIT).name(f"Below {LIMIT}").uid("below")
        stream.map(lambda x: x, Types.INT()).set_parallelism(timer.scaled(2)).name("Scaled").print()


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(SETTINGS["parallelism"])
    try:
        build(env)
        env.execute("try and with")
    except RuntimeError as error:
        logging.error("failed: %s", error)
        sys.exit(1)


main()
