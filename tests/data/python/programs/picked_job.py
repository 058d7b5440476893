import sys

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def ingest(env):
    env.from_collection(["x"], Types.STRING()).map(lambda x: x, Types.STRING()).uid("ingest-map").print().name("Ingested")


def report(env):
    env.from_collection([1], Types.INT()).filter(lambda x: x > 0).uid("report-filter").print().name("Reported")


JOBS = {"ingest": ingest, "report": report}


def main(argv):
    if len(argv) < 2 or argv[1] not in JOBS:
        print("usage: picked_job.py", "|".join(JOBS))
        sys.exit(2)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    JOBS[argv[1]](env)
    env.execute(argv[1])


if __name__ == "__main__":
    main(sys.argv)
