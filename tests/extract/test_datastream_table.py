"""Every row of the table of calls has somebody in each reader who makes what it says."""

from checker.extract.datastream import table
from checker.extract.java.flink_api import sources, streams
from checker.extract.python.flink_api import environment_calls, stream_calls


def test_every_row_is_made_by_java_and_where_pyflink_has_it_by_pyflink() -> None:
    for owner, method, row in table.rows():
        java, python = streams.HANDLERS, stream_calls.HANDLERS
        if owner == table.ENVIRONMENT:
            java, python = sources.HANDLERS, environment_calls.SOURCES
        assert row.makes in java, (owner, method)
        assert row.python is None or row.makes in python, (owner, method)
