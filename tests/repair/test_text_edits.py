"""Edits at exact spans in any encoding, diffs that git takes, and calls in Python source."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.model.topology import Kind, Transformation
from checker.model.unknowns import Location
from checker.repair import Edit, Field, TextEdit, apply_edits, unified_diff
from checker.repair.calls import JAVA, PYTHON, Calls, CannotWrite, utf8

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=8), max_size=8)


@given(before=LINES, after=LINES, ended=st.booleans())
def test_a_diff_holds_every_line(before: list[str], after: list[str], ended: bool) -> None:
    old = "\n".join(before).encode()
    new = ("\n".join(after) + ("\n" if ended else "")).encode()
    diff = unified_diff("f", old, new)
    assert (diff == "") is (old == new)
    if diff:
        assert all(line[0] in "-+ @\\" for line in diff.rstrip("\n").split("\n"))


@pytest.mark.parametrize("ending", ["", "\n"])
def test_git_applies_the_diff(tmp_path: Path, ending: str) -> None:
    before, after = f"a\nb\x0cc{ending}".encode(), f"a\nü\nb\x0cd{ending}".encode()
    (tmp_path / "x.java").write_bytes(before)
    run = subprocess.run(["git", "apply", "-"], input=unified_diff("x.java", before, after).encode(), cwd=tmp_path)
    assert run.returncode == 0
    assert (tmp_path / "x.java").read_bytes() == after


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfab\n", "aäb\n".encode()])
def test_the_encoding_of_a_file_stays(data: bytes) -> None:
    end = len(data)
    after = apply_edits(data, [TextEdit("f", end, end, "ü")])
    assert after.startswith(data)
    assert after[len(data) :] == "ü".encode()


def test_other_encodings_than_utf_8_are_edited_by_hand() -> None:
    with pytest.raises(CannotWrite, match="UTF-8"):
        utf8(b"a\xe4b\n")


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(b"abcdef", [TextEdit("f", 0, 3, "x"), TextEdit("f", 2, 4, "y")])


def operator(line: int, column: int, **places: Location) -> Transformation:
    return Transformation(id="o", kind=Kind.OPERATOR, inputs=("i",), location=Location("f", line, column), **places)


def after_edits(text: str, language: str, transformation: Transformation, *edits: Edit) -> str:
    calls = Calls("f", utf8(text.encode()), {"java": JAVA, "py": PYTHON}[language])
    return apply_edits(text.encode(), calls.edits(transformation, list(edits))).decode()


PIN = Edit("o", Field.UID_HASH, "0" * 32)


def test_python_calls() -> None:
    text = "ds = (s.key_by(f)\n      .process(Count()) \\\n      .name('c'))\nds.uid('old')\n"
    place = operator(2, 8, uid_location=Location("f", 4, 4))
    assert f".uid('old').set_uid_hash(\"{'0' * 32}\")\n" in after_edits(text, "py", place, PIN)
    assert 'ds.uid("new")\n' in after_edits(text, "py", place, Edit("o", Field.UID, "new"))
    plain = after_edits(text, "py", operator(2, 8), PIN)
    assert f'.process(Count()).set_uid_hash("{"0" * 32}") \\\n' in plain


def test_java_calls() -> None:
    text = 'class A { void m() { a.b().map(x).name("x").setMaxParallelism(8).print(); a.uid("u"); } }'
    at = operator(1, text.index("map") + 1)
    assert "setMaxParallelism(16)" in after_edits(text, "java", at, Edit("o", Field.MAX_PARALLELISM, 16))
    assert '.name("x").print()' in after_edits(text, "java", at, Edit("o", Field.MAX_PARALLELISM, None))
    assert '.map(x).uid("n").setUidHash("' in after_edits(text, "java", at, Edit("o", Field.UID, "n"), PIN)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [(1, 24, "not a call of the DataStream API"), (1, 3, "no call"), (9, 1, "no such line")],
)
def test_what_can_not_be_written_is_said(line: int, column: int, message: str) -> None:
    text = "class A { void m() { a.own().map(x); } }"
    with pytest.raises(CannotWrite, match=message):
        after_edits(text, "java", operator(line, column), PIN)


def test_a_statement_of_its_own_is_not_removed() -> None:
    text = 'class A { void m() { s.map(x); s.uid("u"); } }'
    place = operator(1, text.index("map") + 1, uid_location=Location("f", 1, text.index("uid") + 1))
    with pytest.raises(CannotWrite, match="by hand"):
        after_edits(text, "java", place, Edit("o", Field.UID, None))


def test_a_files_name_is_no_line_of_a_diff() -> None:
    name = "q\n--- a/x.java\n+++ b/x.java"
    assert [line for line in unified_diff(name, b"a\n", b"b\n").split("\n") if line.endswith("x.java")] == []
