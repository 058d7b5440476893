import plugins
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from stages import Faults

env = StreamExecutionEnvironment.get_execution_environment()
faults = Faults("signals.json")
lines = env.from_collection(["a"], type_info=Types.STRING()).uid("lines")

lines.map(lambda line: faults.execute(line), Types.STRING()).uid("faults").print().uid("out")
env.execute()
