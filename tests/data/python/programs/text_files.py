from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(3)
lines = env.read_text_file("/nowhere/in.txt")
lines.print()
words = env.read_text_file("/nowhere/words.txt", "UTF-8").name("Words").uid("words").set_parallelism(2)
words.flat_map(lambda line: line.split(), Types.STRING()).key_by(lambda w: w).reduce(lambda a, b: a).print()
env.execute("text files")
