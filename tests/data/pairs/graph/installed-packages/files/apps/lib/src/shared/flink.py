from pyflink.datastream import StreamExecutionEnvironment
def environment():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_max_parallelism(128)
    return env
def uid(name):
    return "v1-" + name
