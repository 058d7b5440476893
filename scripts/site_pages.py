"""A hook of MkDocs: the rules' pages become pages of the site, and links out of ``docs/`` lead to the repository."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

TOP = Path(__file__).resolve().parents[1]
RULES = TOP / "checker" / "rules"
_OUTWARD = re.compile(r"\]\(\.\./([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the page of every rule, below ``rules/check`` and ``rules/gate``."""
    for page in sorted(RULES.glob("*/*.md")):
        files.append(File.generated(config, f"rules/{page.relative_to(RULES).as_posix()}", abs_src_path=str(page)))
    return files


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Links to rules stay inside of the site, others out of ``docs/`` lead to the repository."""

    def inward(link: re.Match[str]) -> str:
        path = link[1]
        if path.startswith("checker/rules/"):
            return f"]({path.removeprefix('checker/')})"
        return f"]({config['repo_url']}/blob/main/{path})"

    return _OUTWARD.sub(inward, markdown)
