from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

TENANTS = {"acme": 2, "globex": 4, "initech": 1}

for tenant, parallelism in TENANTS.items():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    stream = env.from_collection([tenant], Types.STRING())
    stream = stream.map(lambda t: t.title(), output_type=Types.STRING()).uid(f"title-{tenant}").name(f"Title {tenant}")
    stream.print().name(f"Out {tenant}").uid(f"out-{tenant}")
    env.execute(f"tenant {tenant}")
