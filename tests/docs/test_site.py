"""The documentation as a site: every page in its place, every link and anchor inside of it."""

import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)],
        cwd=TOP,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rules = {page.stem for page in (TOP / "checker" / "rules").glob("*/*.md")}
    assert {page.parent.name for page in (site / "rules").rglob("index.html")} - {"rules"} == rules
    assert "setUidHash" in (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "checker/rules" not in (site / "rules" / "index.html").read_text(encoding="utf-8")
