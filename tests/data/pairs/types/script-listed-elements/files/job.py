from typing import NamedTuple
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
class Trade(NamedTuple):
    book: str
    amount: float
class Last(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", Types.PICKLED_BYTE_ARRAY()))
    def process_element(self, value, ctx):
        self.last.update(value)
env = StreamExecutionEnvironment.get_execution_environment()
trades = env.from_collection([Trade("a", 2.0)]).uid("trades")
trades.key_by(lambda trade: trade.book, Types.STRING()).process(Last()).uid("last")
env.execute()
