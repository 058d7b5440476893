"""The schemas in a real TOML language server: what ``init`` writes is right, mistakes are found where they are."""

import re
from pathlib import Path

import pytest

from tests.hooks.conftest import TOP, Scratch, new_repository
from tests.report.browser.npm_files import npm_file

pytestmark = pytest.mark.browser

TAPLO = ("@taplo/cli@0.7.0", "package/dist/cli.js")
PUBLISHED = re.compile(r"https://raw\.githubusercontent\.com/savepoint-checker/savepoint-checker/[^/]+")
LOCAL = f"file://{TOP}"
PAGE = (TOP / "docs" / "configuration.md").read_text(encoding="utf-8")


def taplo(repository: Scratch) -> tuple[int, str]:
    lint = ["node", str(npm_file(*TAPLO)), "lint", "savepoint-checker.toml"]
    return repository.run(*lint)


def test_the_line_that_init_writes(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repository")
    assert repository.run("savepoint-checker", "init", "--only", "config")[0] == 0
    file = repository.top / "savepoint-checker.toml"
    written = file.read_text(encoding="utf-8")
    assert PUBLISHED.search(written.splitlines()[0])
    repository.write(PUBLISHED.sub(LOCAL, written) + '\n[rules]\nuid-missing = "off"\n', file.name)
    code, output = taplo(repository)
    assert code == 0, output
    repository.write(PUBLISHED.sub(LOCAL, written) + '\n[rules]\nuid-missing = "loud"\n', file.name)
    code, output = taplo(repository)
    assert code == 1
    assert '"loud" is not one of' in output


def test_the_rule_that_the_page_shows(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repository")
    [shown] = re.findall(r"^```text\n# \.taplo\.toml\n(.*?)^```", PAGE, re.S | re.M)
    repository.write(PUBLISHED.sub(LOCAL, shown), ".taplo.toml")
    repository.write("parallelism = 4\n", "savepoint-checker.toml")
    code, output = taplo(repository)
    assert code == 0, output
    repository.write('parallelism = "4"\n', "savepoint-checker.toml")
    code, output = taplo(repository)
    assert code == 1
    assert "invalid configuration" not in output
    assert 'is not of type "integer"' in output
