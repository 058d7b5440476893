import functools
import time

from pyflink.common import Types
from pyflink.datastream import DataStream, StreamExecutionEnvironment


def stage(uid, parallelism=None):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(stream, *args, **kwargs):
            result = function(stream, *args, **kwargs).uid(uid)
            return result if parallelism is None else result.set_parallelism(parallelism)

        return wrapper

    return decorate


@stage("cleaned")
def clean(stream: DataStream, suffix="") -> DataStream:
    return stream.map(lambda s: s.strip(), output_type=Types.STRING()).name("Clean" + suffix)


@stage(uid="exploded", parallelism=4)
def explode(stream: DataStream) -> DataStream:
    return stream.flat_map(lambda s: s.split(), output_type=Types.STRING()).name("Explode")


def pipeline(*stages):
    return functools.reduce(lambda before, after: lambda s: after(before(s)), stages) if False else list(stages)


started = time.time()
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
stream = env.from_collection([" a b "], type_info=Types.STRING())
for apply in pipeline(functools.partial(clean, suffix="ed"), explode, lambda s: s.filter(bool)):
    stream = apply(stream)
stream.print()
env.execute("decorated")
print("took", time.time() - started)
