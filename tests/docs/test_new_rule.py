"""``scripts/new_rule``: the files of a rule, from templates."""

import subprocess
import sys
from pathlib import Path

from tests.rules.test_examples import HEADINGS

SCRIPT = Path(__file__).parents[2] / "scripts" / "new_rule"


def begun(root: Path, slug: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), slug, "A side output has another name", "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_rule_begins_with_its_module_its_page_and_its_example(tmp_path: Path) -> None:
    assert begun(tmp_path, "side-output-renamed").returncode == 0
    module = tmp_path / "checker/rules/check/side_output_renamed.py"
    compile(module.read_text(), str(module), "exec")
    page = module.with_suffix(".md").read_text()
    assert [line for line in page.splitlines() if line.startswith("## ")] == list(HEADINGS)
    example = tmp_path / "tests/rules/examples/side-output-renamed"
    assert {path.name for path in example.iterdir()} == {"base.topology.yaml", "head.topology.yaml"}
