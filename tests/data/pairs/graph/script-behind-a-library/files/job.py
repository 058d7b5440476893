from vendor import Enricher
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
enricher = Enricher.of(env)
numbers = env.from_collection([1])
out = enricher.apply(numbers, key=lambda v: v.a).to_stream()
out.print()
env.execute()
