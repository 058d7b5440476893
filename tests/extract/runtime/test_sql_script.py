"""SQL scripts are split as Flink's SQL client splits them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from checker.extract.runtime.capture.child import Setting, Statement, StatementSet, commands


def test_semicolons_in_quotes_and_comments_do_not_end_a_statement() -> None:
    script = """-- first; comment
    INSERT INTO t SELECT ';', `a;b` FROM x /* ; */ WHERE y = 'it''s; fine';
    SELECT /*+ OPTIONS('k'=';') */ 1"""
    assert [c.text for c in commands(script) if isinstance(c, Statement)] == [
        "INSERT INTO t SELECT ';', `a;b` FROM x   WHERE y = 'it''s; fine'",
        "SELECT /*+ OPTIONS('k'=';') */ 1",
    ]


def test_settings_of_the_client() -> None:
    assert commands("SET 'parallelism.default' = '3'; set pipeline.name = x; RESET; QUIT;") == (
        Setting("parallelism.default", "3"),
        Setting("pipeline.name", "x"),
    )


def test_both_spellings_of_a_statement_set() -> None:
    inserts = "INSERT INTO a SELECT 1; INSERT INTO b SELECT 2;"
    expected = (StatementSet(("INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2")),)
    assert commands(f"BEGIN STATEMENT SET; {inserts} END;") == expected
    assert commands(f"EXECUTE STATEMENT SET BEGIN {inserts} END;") == expected


def test_a_statement_set_inside_of_another_statement_stays_whole() -> None:
    text = "COMPILE PLAN 'p.json' FOR STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END"
    assert commands(text + "; SELECT 1;") == (Statement(text), Statement("SELECT 1"))


@given(st.text(alphabet="ab;'`\"-/*+ \n", max_size=60))
def test_any_text_is_split_without_an_error(script: str) -> None:
    commands(script)
