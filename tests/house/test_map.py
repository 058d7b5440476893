"""The map and the recipes name files that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "ARCHITECTURE.md").read_text()
RECIPES = (ROOT / "CONTRIBUTING.md").read_text()
FOLDERS = ("", "checker", "checker/workflows/check", "checker/compare/revisions", "checker/savepoint",
           "checker/compare/restore", "checker/extract/java/interpreter", "checker/extract/java/syntax",
           "checker/rules/check", "checker/extract/deployments", "checker/extract/java/state",
           "checker/compare/account", "checker/extract/java/reached")  # fmt: skip
"""What a path may be relative to: the row or sentence before it names the folder."""
PLACEHOLDER = re.compile(r"\b(SLUG|FAMILY|FORMAT|LANGUAGE|MAJOR|OLD_CHECKOUT)\b")


def paths_in(text: str) -> list[str]:
    return re.findall(r"`([\w.*/-]+(?:/|\.py|\.toml|\.md|\.html))`", text)


def test_every_path_is_there() -> None:
    patterns = {path: PLACEHOLDER.sub("*", path).rstrip("/") for path in (*paths_in(MAP), *paths_in(RECIPES))}
    assert [
        path
        for path, pattern in patterns.items()
        if not any(any(ROOT.glob(f"{folder}/{pattern}".lstrip("/"))) for folder in FOLDERS)
    ] == []


def test_every_package_below_checker_is_on_the_map() -> None:
    packages = [p.parent.name for p in (ROOT / "checker").glob("*/__init__.py")]
    assert [name for name in packages if f"{name}/" not in MAP and f"`{name}`" not in MAP] == []
