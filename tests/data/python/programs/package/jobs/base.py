from abc import ABC, abstractmethod

from pyflink.datastream import StreamExecutionEnvironment

from . import PREFIX
from .registry import NAMES


class Job(ABC):
    source_uid = "source"

    def __init__(self, parallelism):
        self.env = StreamExecutionEnvironment.get_execution_environment()
        self.env.set_parallelism(parallelism)
        self._parallelism = parallelism

    @property
    def prefix(self):
        return f"{PREFIX}-{type(self).__name__.lower()}" if False else PREFIX

    @classmethod
    def source_name(cls):
        return cls.source_uid.title()

    @staticmethod
    def joined(*parts):
        return "-".join(parts)

    def uid(self, name):
        return self.joined(self.prefix, name)

    @abstractmethod
    def build(self):
        ...

    def run(self, name):
        NAMES.append(name)
        self.build().print().uid(self.uid("print"))
        self.env.execute(name)
