from dataclasses import dataclass
from enum import Enum

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

class Kind(Enum):
    FOOD = "food"
    TOOL = "tool"

class Shelf(Enum):
    LOW = 1
    HIGH = 2

@dataclass
class Item:
    shop: str
    kind: Kind
    shelf: Shelf

class Counts(KeyedProcessFunction):
    def open(self, ctx):
        self.counts = ctx.get_map_state(MapStateDescriptor("counts", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        yield f"{value.kind.value} {value.shelf.value}"

rows = Types.TUPLE([Types.STRING(), Types.STRING(), Types.INT()])
env = StreamExecutionEnvironment.get_execution_environment()
items = env.from_collection([("a", "food", 1)], rows).uid("rows").map(lambda r: Item(r[0], Kind(r[1]), Shelf(r[2])))
keyed = items.uid("items").key_by(lambda item: item.shop, key_type=Types.STRING())
keyed.process(Counts(), output_type=Types.STRING()).uid("counts").print().uid("out")
env.execute()
