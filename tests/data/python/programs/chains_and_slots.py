from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

from pyflink.datastream import SlotSharingGroup, MemorySize

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "Numbers")

env.set_max_parallelism(128)
heavy = SlotSharingGroup.builder("heavy").set_cpu_cores(1.0).set_task_heap_memory(MemorySize.of_mebi_bytes(64)).build()
a = numbers.map(lambda n: n, Types.LONG()).name("A").slot_sharing_group("io").uid("a")
b = a.map(lambda n: n, Types.LONG()).name("B").set_max_parallelism(64).uid("b")
c = b.map(lambda n: n, Types.LONG()).name("C").slot_sharing_group(heavy).start_new_chain()
d = c.filter(lambda n: n > 1).name("D").disable_chaining().set_description("long text")
e = d.map(lambda n: n, Types.LONG()).name("E").set_uid_hash("2e588ce1c86a9d46e2e85186773ce4fd").set_buffer_timeout(10)
f = e.map(lambda n: n, Types.LONG()).name("F").force_non_parallel()
f.print("prefix").name("Sink").set_parallelism(1).disable_chaining().slot_sharing_group("out").uid("sink")
env.execute("chains and slots")
