from dataclasses import dataclass, field
from enum import Enum

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


class Step(Enum):
    UPPER = "upper"
    SPLIT = "split"
    KEY = "key"


@dataclass
class Stage:
    kind: Step
    uid: str
    parallelism: int = 2
    tags: list = field(default_factory=list)


PLAN = [Stage(Step.UPPER, "s1"), Stage(Step.SPLIT, "s2", parallelism=3), Stage(kind=Step.KEY, uid="s3"), ("sink", "out", 1)]

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
stream = env.from_collection(["a b", "c"], Types.STRING())
for stage in PLAN:
    match stage:
        case Stage(kind=Step.UPPER, uid=uid):
            stream = stream.map(lambda s: s.upper(), Types.STRING()).uid(uid)
        case Stage(kind=Step.SPLIT, uid=uid, parallelism=parallelism):
            stream = stream.flat_map(lambda s: s.split(), Types.STRING()).uid(uid).set_parallelism(parallelism)
        case Stage(kind=Step.KEY) as keyed if keyed.parallelism > 1:
            stream = stream.key_by(lambda s: s).reduce(lambda a, b: a).uid(keyed.uid).name(keyed.kind.value)
        case ("sink", name, number):
            stream.print().name(name).set_parallelism(number)
        case _:
            raise ValueError(stage)
env.execute("matching")
