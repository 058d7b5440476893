from pyflink.common import Types

from jobs.base import Job
from jobs.steps.cleaning import clean


class ClickJob(Job):
    def build(self):
        clicks = self.env.from_collection(["a"], Types.STRING()).name(self.source_name()).uid(self.uid(self.source_uid))
        return clean(clicks, uid=self.uid("clean"), times=2)
