"""The VS Code client's own tests."""

import json
import subprocess

import pytest

from checker import __version__
from tests.hooks.conftest import TOP

FOLDER = TOP / "editors" / "vscode"


@pytest.mark.browser
def test_the_clients_own_tests_pass() -> None:
    done = subprocess.run(["npm", "test"], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 5" in done.stdout


def test_it_has_the_version_of_the_package() -> None:
    assert json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["version"] == __version__
