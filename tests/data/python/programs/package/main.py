from jobs import registry
from jobs.base import Job
from jobs.clicks import ClickJob
import jobs.orders as orders

if __name__ == "__main__":
    ClickJob(parallelism=2).run("clicks")
    orders.OrderJob(parallelism=3).run("orders")
    assert issubclass(ClickJob, Job)
    print(registry.NAMES)
