"""A small batch of fresh random programs with tables, judged by real Flink; what 1.20 said of others is recorded."""

import pytest

from tests.referees.jvm import started
from tests.referees.table_program_generator import Generator
from tests.referees.table_programs import Case, cases_of, read, verdict
from tests.seeds import seed_of

COUNT = 6
FLINK = "2.3.0"


@pytest.mark.flink
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("_one_planner")
def test_fresh_programs_have_the_ids_and_chains_that_flink_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.extract.sql.planner.planning._kept", lambda task: None)
    seed = seed_of("TABLES_SEED")
    cases: list[Case] = []
    with started(FLINK) as jvm:
        for number in range(seed, seed + COUNT):
            found = cases_of(number, jvm)
            cases += [] if isinstance(found, str) else found
    planned = read(cases, FLINK)
    verdicts = [(case, *verdict(case, planned.get(case.name))) for case in cases]
    wrong = [f"{case.name}: {why}\n{case.text}" for case, what, why in verdicts if what == "wrong"]
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)
    assert sum(what == "exact" for _, what, _ in verdicts) > len(cases) // 2


def test_a_seed_gives_the_same_program_every_time() -> None:
    assert Generator(7).programs() == Generator(7).programs() != Generator(8).programs()
