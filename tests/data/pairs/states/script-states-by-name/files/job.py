from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
BUCKETS = 16
class Stateful(KeyedProcessFunction):
    def values(self):
        return {}
    def maps(self):
        return {}
    def open(self, context):
        for name, kind in self.values().items():
            setattr(self, f"_{name}", context.get_state(ValueStateDescriptor(name, kind)))
        for name, kind in self.maps().items():
            setattr(self, f"_{name}", context.get_map_state(MapStateDescriptor(name, Types.STRING(), kind)))
class Totals(Stateful):
    def values(self):
        return {"total": Types.LONG(), "last": Types.STRING()}
    def maps(self):
        return {"kinds": Types.LONG()}
    def process_element(self, value, ctx):
        total = (self._total.value() or 0) + len(value[1])
        self._total.update(total)
        self._kinds.put(value[1], (self._kinds.get(value[1]) or 0) + 1)
        before = self._last.value()
        self._last.update(value[1])
        yield f"{before} {total}"
def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    kinds = Types.TUPLE([Types.INT(), Types.STRING()])
    values = env.from_collection([(1, "a")], type_info=kinds).uid("values")
    values.key_by(lambda v: v[0] % 16, key_type=Types.INT()).process(Totals()).uid("totals").print()
    env.execute()
main()
