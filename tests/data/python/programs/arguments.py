import argparse

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def parse(argv=None):
    parser = argparse.ArgumentParser(description="counts words")
    parser.add_argument("--output", dest="output", help="where to")
    parser.add_argument("-p", "--parallelism", type=int, default=2)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("topics", nargs="*", default=["a"])
    known, _ = parser.parse_known_args(argv)
    return known


def main():
    args = parse()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(args.parallelism)
    streams = [env.from_collection([topic], Types.STRING()).name(f"Topic {topic}").uid(f"topic-{topic}") for topic in args.topics]
    joined = streams[0].union(*streams[1:]) if len(streams) > 1 else streams[0]
    words = joined.flat_map(lambda line: line.split(), output_type=Types.STRING()).name("Words").uid("words")
    if args.output is not None:
        words.map(lambda w: w, output_type=Types.STRING()).name(f"To {args.output}").uid("output").print()
    elif not args.dry_run:
        words.print()
    env.execute("arguments")


if __name__ == "__main__":
    main()
