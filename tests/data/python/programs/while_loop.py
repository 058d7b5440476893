from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
stream = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")
stages = ["parse", "enrich", "score", "stop", "never"]
position = 0
while position < len(stages):
    stage = stages[position]
    position += 1
    if stage == "stop":
        break
    stream = stream.map(lambda x: x, output_type=Types.LONG()).name(stage.title()).uid(f"stage-{position:02d}-{stage}")
    if stage == "enrich":
        stream = stream.disable_chaining()
else:
    stream = stream.filter(lambda x: False).name("Unreachable")
for number in range(3):
    if number == 7:
        break
else:
    stream = stream.filter(lambda x: x > 0).name("After the loop")
stream.print()
env.execute("while")
