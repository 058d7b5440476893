import tools
from training import score

def build_parser():
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--to", default="out")
    return parser

from pyflink.datastream import StreamExecutionEnvironment

def main():
    args = build_parser().parse_args()
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection([1]).key_by(lambda x: x).reduce(lambda a, b: a + b).uid(args.to)
    stream.map(score).print()
    env.execute()

main()
