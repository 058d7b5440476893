from collections import namedtuple

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

Topic = namedtuple("Topic", "name partitions")
counter = 0


def next_uid(prefix):
    global counter
    counter += 1
    return "%s-%03d" % (prefix, counter)


def make_mapper(label):
    state = {"made": 0}

    def attach(stream):
        nonlocal label
        state["made"] += 1
        label = f"{label}!"
        return stream.map(lambda x: x, Types.STRING()).name("{} {made:>2}".format(label, **state)).uid(next_uid("m"))

    return attach


def sources(names):
    for position, name in enumerate(sorted(names, reverse=True)):
        yield position, name.capitalize()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
attach = make_mapper("map")
streams = {}
for position, name in sources({"b", "a", "c"}):
    streams[name] = attach(env.from_collection([name], Types.STRING()).name(name).uid(next_uid("s")))
streams["A"].union(*(stream for name, stream in streams.items() if name != "A")).print()
while (counter := counter + 10) < 30:
    attach(streams["B"]).print()
env.execute("nested")
