import json
import os
import pickle

import yaml
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment

import settings
from helpers import Store

HERE = os.path.dirname(os.path.abspath(__file__))
with open("conf.json") as file:
    CONF = json.load(file)
RULES = yaml.safe_load(open(os.path.join(HERE, "rules.yaml")))
with open("scorer.pickle", "rb") as file:
    scorer = pickle.load(file)

def parse(line):
    raw = json.loads(line)
    return raw[CONF["key"]], raw["value"] * CONF["factor"]

class Parser:
    def __init__(self, path):
        with open(path) as handle:
            self.conf = json.load(handle)

    def pair(self, line):
        raw = json.loads(line)
        return raw[self.conf["id"]], raw["value"]

class Uses(KeyedProcessFunction):
    def open(self, context):
        self.store = Store()
        self.store.open(context)

    def process_element(self, value, ctx):
        self.store.save(value)
        yield value

env = StreamExecutionEnvironment.get_execution_environment()
pair, text = Types.TUPLE([Types.STRING(), Types.INT()]), Types.STRING()
lines = env.from_collection(["a"], type_info=text).uid("lines")
lines.map(parse, pair).uid("p").key_by(lambda r: r[0], key_type=text).process(Uses(), text).uid("a").print()
raw = lines.map(json.loads).uid("raw")
raw.key_by(lambda r: r[RULES["keys"]["main"]], key_type=text).process(Uses(), text).uid("b").print()
lines.map(Parser("parser.json").pair, pair).uid("q").key_by(lambda r: r[0], key_type=text).process(Uses(), text).uid(
    "c").print()
lines.map(lambda line: json.loads(line)[settings.read()["site"]], text).uid("s").key_by(
    lambda r: r, key_type=text).process(Uses(), text).uid("d").print()
lines.key_by(lambda r: r, key_type=text).process(scorer.function, text).uid("e").print()
env.execute(CONF["title"])
