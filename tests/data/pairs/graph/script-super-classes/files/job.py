from pyflink.datastream import StreamExecutionEnvironment
class Job:
    def run(self):
        self.build(StreamExecutionEnvironment.get_execution_environment())
    def build(self, env):
        ...
class Print(Job):
    def build(self, env):
        env.from_collection([1]).uid("source").print().uid("sink")
        env.execute()
Print().run()
