"""Aggregate functions in Python: what of PyFlink's operators is state. Ids and states are those of real savepoints."""

from __future__ import annotations

import pytest

from checker.compare.restore.matching import candidate_of
from checker.compare.revisions.declared_fit import meaning_changed
from checker.flink import translate
from checker.model.topology import Topology, Transformation
from tests.extract.sql.test_programs import holes, planned
from tests.flinks import jars_of

pytestmark = pytest.mark.flink

PAIR = "DataTypes.ROW([DataTypes.FIELD('sum', DataTypes.BIGINT()), DataTypes.FIELD('count', DataTypes.BIGINT())])"
PROGRAM = """import sys
from pyflink.common import Row
from pyflink.table import AggregateFunction, DataTypes, EnvironmentSettings, TableAggregateFunction, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.udf import udaf, udtaf
from pyflink.table.window import Tumble

class Average(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)
    def get_value(self, accumulator):
        return accumulator[0] // max(1, accumulator[1])
    def accumulate(self, accumulator, value, weight):
        accumulator[0] += value * weight
        accumulator[1] += weight
    def get_result_type(self):
        return DataTypes.BIGINT()
    def get_accumulator_type(self):
        return %s

class Two(TableAggregateFunction):
    def create_accumulator(self):
        return [None, None]
    def emit_value(self, accumulator):
        yield Row(accumulator[0])

@udaf(result_type=DataTypes.FLOAT(), func_type="pandas")
def mean(values):
    return values.mean()

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "1")
average = udaf(Average())
two = udtaf(Two(), result_type="ROW<n BIGINT>", accumulator_type="ARRAY<BIGINT>")
t.create_temporary_function("average", average)
t.execute_sql("CREATE TABLE orders (id BIGINT, amount BIGINT, ts AS PROCTIME()) WITH ('connector' = 'datagen')")
t.execute_sql("CREATE TABLE totals (id BIGINT, n %s) WITH ('connector' = 'blackhole')")
windows = t.from_path("orders").window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w"))
%s
"""
BY_KEY = 't.execute_sql("INSERT INTO totals SELECT id, average(amount, id) FROM orders GROUP BY id")'
OF_WINDOW = 'windows.group_by(col("id"), col("w")).select(col("id"), %s).execute_insert("totals")'
KEYED_ID = "20ba6b65f97481d5570070de90e4e791"


def job(statement: str, accumulator: str = PAIR, result: str = "BIGINT") -> tuple[str, str, int]:
    return f"{abs(hash((statement, accumulator)))}.py", PROGRAM % (accumulator, result, statement), 0


def aggregate(topology: Topology) -> Transformation:
    (found,) = [t for t in topology.transformations if t.keyed]
    return found


def test_ids_and_states_are_those_that_pyflink_writes() -> None:
    wanted = {
        (BY_KEY, "BIGINT"): ["python-state-accumulators"],
        (OF_WINDOW % 'average(col("amount"), col("id"))', "BIGINT"): ["python-state-window_state"],
        (OF_WINDOW % 'mean(col("amount"))', "FLOAT"): ["data-retract", "window-input"],
    }
    topologies = planned(*(job(statement, result=result) for statement, result in wanted))
    for states, topology in zip(wanted.values(), topologies, strict=True):
        assert not holes(topology)
        translation = translate(topology)
        (found,) = [o for v in candidate_of(translation).vertices for o in v.operators if o.generated == KEYED_ID]
        assert found.states is not None
        assert sorted(str(s.name) for s in found.states if "timer" not in str(s.name)) == states


@pytest.mark.parametrize("version", ["1.15.4", "1.20.5"])
def test_an_object_is_registered_as_what_pyflink_wraps_it_in(version: str) -> None:
    jars_of(version)
    wrapped = job(BY_KEY)
    plain = (f"plain-{wrapped[0]}", wrapped[1].replace("average = udaf(Average())", "average = Average()"), 0)
    assert [aggregate(topology).id for topology in planned(wrapped, plain, flink=version)] == [
        "PythonGroupAggregate"
    ] * 2


def test_the_type_of_an_accumulator_is_what_its_bytes_mean() -> None:
    code = job(BY_KEY)
    longer = job(BY_KEY, PAIR.replace("BIGINT", "DOUBLE"))
    commented = (f"again-{code[0]}", code[1].replace("Row(0, 0)", "Row(0, 0)  # sum, count"), 0)
    plain, retyped, same = map(aggregate, planned(code, longer, commented))
    assert meaning_changed(plain, retyped)
    assert not meaning_changed(plain, same)
    assert plain.state == retyped.state  # Flink sees bytes


def test_what_a_function_keeps_is_not_known_where_its_accumulators_type_is_not() -> None:
    by_argument, in_a_map = planned(
        job(BY_KEY, "sys.argv[1]"), job(BY_KEY, "DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())")
    )
    assert any("function in Python" in why for why in holes(by_argument))
    assert holes(in_a_map) or aggregate(in_a_map).state not in ((), None)


def test_functions_of_whole_rows_aggregate_too() -> None:
    operators = {
        't.from_path("orders").group_by(col("id")).flat_aggregate(two.alias("n"))': "PythonGroupTableAggregate",
        'windows.group_by(col("id"), col("w")).aggregate(average.alias("n"))': "PythonGroupWindowAggregate",
    }
    inserted = (f'{rows}.select(col("id"), col("n")).execute_insert("totals")' for rows in operators)
    topologies = planned(*map(job, inserted))
    assert not any(map(holes, topologies))
    assert [aggregate(topology).id for topology in topologies] == [*operators.values()]
