from pyflink.common import Encoder, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
sink = FileSink.for_row_format("/nowhere", Encoder.simple_string_encoder()).with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
left = env.from_collection(["a"], Types.STRING()).uid("left")
right = env.from_collection(["b"], Types.STRING()).uid("right")
for place, stream in enumerate((left, right, left.union(right)), start=1):
    stream.sink_to(sink).uid(f"files-{place}").name(f"Files {place}").set_parallelism(place)
env.execute("reused sinks")
