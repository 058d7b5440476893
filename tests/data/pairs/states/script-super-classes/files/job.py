from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from parts.alerts import Alerts

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    pair, text = Types.TUPLE([Types.STRING(), Types.LONG()]), Types.STRING()
    lines = env.from_collection([("a", 1)], type_info=pair).uid("lines")
    lines.key_by(lambda v: v[0], key_type=text).process(Alerts(), text).uid("alerts").print().uid("out")
    env.execute()

main()
