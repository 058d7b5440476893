from functools import reduce

from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

REGIONS = ["eu", "us", "ap"]
WEIGHTS = {region: index * 0 + 1 for index, region in enumerate(REGIONS) if region != "ap"}

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
sources = [
    env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), f"Source {region}").uid(f"src-{region}")
    for region in REGIONS
]
mapped = [
    source.map(lambda x: x, output_type=Types.LONG()).name(f"Map {region.upper()}").uid(f"map-{region}").set_parallelism(WEIGHTS.get(region, 1) + 1)
    for region, source in zip(REGIONS, sources)
]
first, *others = mapped
first.union(*others).key_by(lambda x: x).sum().name("Total").uid("total").print()
env.execute("comprehensions")
