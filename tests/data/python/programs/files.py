from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.common import Duration, Encoder
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream.connectors.file_system import FileSink, FileSource, OutputFileConfig, RollingPolicy, StreamFormat


class Clock(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

source = (
    FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/nowhere/in")
    .monitor_continuously(Duration.of_seconds(5))
    .process_static_file_set()
    .build()
)
sink = (
    FileSink.for_row_format("/nowhere/out", Encoder.simple_string_encoder("UTF-8"))
    .with_output_file_config(OutputFileConfig.builder().with_part_prefix("part").build())
    .with_rolling_policy(RollingPolicy.default_rolling_policy())
    .build()
)
strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2)).with_timestamp_assigner(Clock())
lines = env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "Lines").uid("lines").set_parallelism(3)
timed = lines.assign_timestamps_and_watermarks(strategy).name("Timed").uid("timed")
timed.sink_to(sink).name("Files").uid("files").set_parallelism(1)
timed.map(lambda line: line.strip(), Types.STRING()).key_by(lambda line: line[:1]).sink_to(sink).uid("keyed-files")
lines.rebalance().assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps()).set_parallelism(4).print()
lines.key_by(lambda line: line).assign_timestamps_and_watermarks(WatermarkStrategy.no_watermarks()).print()
env.execute("files")
