"""One Spark session on this machine for all tests that ask for no other: starting one takes longer than they do."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from checker.engines.spark.session import SparkRun, spark_run


class LocalSpark:
    """A session that starts when it is first asked for. While it runs this process can have no other one."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._running: SparkRun | None = None

    def started(self) -> SparkRun:
        if self._running is None:
            self._running = self._open.enter_context(spark_run(master="local[2]", remote=None, verbose=False))
        return self._running

    def end(self) -> None:
        self._open.close()
        self._running = None


@pytest.fixture(scope="package")
def local_spark() -> Iterator[LocalSpark]:
    spark = LocalSpark()
    yield spark
    spark.end()


@pytest.fixture
def run(local_spark: LocalSpark) -> SparkRun:
    return local_spark.started()
