from pyflink.common import Types

from .base import Job
from .steps import cleaning as c


class OrderJob(Job):
    source_uid = "orders"

    def __init__(self, parallelism, keyed=True):
        super().__init__(parallelism)
        self.keyed = keyed

    def build(self):
        orders = self.env.from_collection([1, 2], Types.INT()).uid(self.uid(self.source_uid))
        if self.keyed:
            return orders.key_by(lambda o: o).map(lambda o: o, output_type=Types.INT()).uid(self.uid("keyed")).name("Orders")
        return c.clean(orders, uid=self.uid("clean"))
