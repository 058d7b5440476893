from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.datastream.state import *
from pyflink.datastream.window import *

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 100), WatermarkStrategy.no_watermarks(), "Numbers")
from pyflink.common import Encoder
from pyflink.datastream.connectors.file_system import FileSink

sink = FileSink.for_row_format("/nowhere", Encoder.simple_string_encoder()).build()
lines = numbers.map(lambda x: str(x), output_type=Types.STRING())
lines.sink_to(sink).name("Files").uid("files")
lines.filter(lambda x: True).sink_to(sink)
env.execute("file sink")
