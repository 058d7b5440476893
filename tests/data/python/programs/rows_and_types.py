from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

ROW = Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()])

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
rows = env.from_collection([Row(id=1, name="a")], type_info=ROW)
rows.print()
rows.map(lambda r: [r.id], output_type=Types.LIST(Types.INT())).print()
rows.map(lambda r: (r.id,), output_type=Types.TUPLE([Types.INT()])).print()
rows.map(lambda r: {"a": r.id}, output_type=Types.MAP(Types.STRING(), Types.INT())).print()
rows.map(lambda r: r, output_type=[Types.INT(), Types.STRING()]).print()
rows.map(lambda r: r).print()
rows.key_by(lambda r: r.id).print()
rows.filter(lambda r: True).print()
rows.union(rows.map(lambda r: r, output_type=ROW)).print()
rows.map(lambda r: b"x", output_type=Types.PRIMITIVE_ARRAY(Types.BYTE())).print()
rows.map(lambda r: b"x", output_type=Types.PICKLED_BYTE_ARRAY()).print()
env.execute("rows and types")
