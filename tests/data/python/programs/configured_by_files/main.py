import json
import os
from pathlib import Path

import yaml
from pyflink.common import Configuration, Types
from pyflink.datastream import StreamExecutionEnvironment

HERE = Path(__file__).resolve().parent
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "job.json")) as stream:
    JOB = json.load(stream)
STAGES = yaml.safe_load((HERE / "stages.yaml").read_text())

config = Configuration()
for key, value in JOB["flink"].items():
    config.set_string(key, str(value))
env = StreamExecutionEnvironment.get_execution_environment(config)
stream = env.from_collection([1, 2, 3], Types.INT()).name(JOB["source"]["name"])
for stage in STAGES["stages"]:
    if not stage.get("enabled", True):
        continue
    stream = stream.map(lambda x: x, Types.INT()).uid(stage["uid"]).name(stage["name"])
    if "parallelism" in stage:
        stream.set_parallelism(stage["parallelism"])
    if stage.get("group"):
        stream.slot_sharing_group(stage["group"])
stream.print()
env.execute(JOB["name"])
