"""A PyFlink function whose base class registers the states that it names, in a pipeline that can not be read."""

import pytest

from tests.edits.pairs import DATA, edited, files_below
from tests.judging import judged


def test_functions_of_a_pipeline_that_is_not_read_in_either_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*given: object, **named: object) -> None:
        raise ValueError

    monkeypatch.setattr("checker.extract.python.extraction.interpret", breaks)
    files = files_below(DATA / "pairs" / "states" / "script-states-by-name" / "files")
    (pipeline,) = judged(files, edited(files, [("job.py", '{"total": ', '{"sum": ')]))
    assert {f["severity"] for f in pipeline["findings"]} & {"error", "warning"}
