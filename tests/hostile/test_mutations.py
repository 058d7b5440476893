"""Repositories with random damage: commands end, with a code that says how, and touch nothing outside."""

from pathlib import Path
from random import Random

import pytest

from tests.hostile.commands import command, contents
from tests.hostile.mutations import COMMANDS, FILES, mutated

QUICK = {name: text for name, text in FILES.items() if not name.endswith(".sql")}
"""No planner is started for these."""


@pytest.mark.parametrize("seed", range(24))
def test_a_damaged_repository(seed: int, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("mine\n")
    before = contents(outside)
    random = Random(seed)
    repository = mutated(tmp_path / "repo", outside, random, QUICK)
    for arguments in random.sample(COMMANDS, 4):
        command(repository.folder, *arguments)
    assert contents(outside) == before
    assert not list(repository.folder.rglob(".*.????????????????")), "a temporary file is left"
