"""Small scripts for tests of the reader of PyFlink: what stands behind the usual lines, and what else there is."""

from collections.abc import Mapping

from checker.model.sources import MemoryFiles

HEAD = """
import argparse, os, random, sys, uuid
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import AsyncDataStream, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource, KafkaSink
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.functions import *
from pyflink.table import StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "Numbers")
"""


def script_files(
    script: str, modules: Mapping[str, str] | None = None, more: Mapping[str, str] | None = None, head: str = HEAD
) -> MemoryFiles:
    """A revision with ``job.py``, modules beside it and other files."""
    texts = {"job.py": head + script, **{f"{name}.py": text for name, text in (modules or {}).items()}, **(more or {})}
    return MemoryFiles({path: text.encode() for path, text in texts.items()})
