"""Which file of a repository a text of a program names, and which files belong to one module."""

from __future__ import annotations

import re

_USUAL_FOLDER = re.compile(r"(^|/)(resources|conf|config|etc|data)(/[^/]+)?/[^/]+$|^[^/]+$")
_ENDING = re.compile(r"[._-][\w.-]*\.?(?:properties|conf|ya?ml|json|xml|toml|ini|sql|csv|txt)")
CONVENTIONAL = re.compile(r"(^|/)(application|reference|bootstrap)[^/]*\.(conf|properties|ya?ml|json)$")
"""Files that libraries read without being given a name."""


def names_file(text: str, path: str, main: str) -> bool:
    """Whether a text of a program is the name of a file: a path, or a bare name in one of the usual folders.

    ``main`` is the file of the program's main class or script.
    """
    if _assembled(text, path):
        return same_module(path, main)
    name = text.rpartition(":")[2].lstrip("./")
    if not name or len(name) > 200 or " " in name:
        return False
    if "/" in name:
        return path == name or path.endswith(f"/{name}")
    if not _USUAL_FOLDER.search(path) and path.rpartition("/")[0] != main.rpartition("/")[0]:
        return False
    base = path.rpartition("/")[2]
    return same_module(path, main) and name in (base, base.removesuffix(".properties"))


def _assembled(text: str, path: str) -> bool:
    """Whether a text may be the ending, the folder or the beginning of a name of a file in one of the usual folders."""
    if not _USUAL_FOLDER.search(path) or len(text) < 4 or len(text) > 200 or " " in text:
        return False
    base = path.rpartition("/")[2]
    if _ENDING.fullmatch(text):
        return base.endswith(text)
    if text.endswith("/") and len(text) > 4:
        return f"/{path}".rpartition("/")[0].endswith("/" + text.strip("./"))
    return text[-1] in "-_." and text[0].isalpha() and base.startswith(text)


def same_module(path: str, main: str) -> bool:
    """Whether a build file or resource belongs to the module of a source file, or to a folder above it."""
    folder = path.rpartition("/")[0]
    for part in ("/src/", "/resources", "/conf", "/config", "/gradle", "/buildSrc"):
        cut = f"{folder}/".find(f"{part}/".replace("//", "/"))
        if cut >= 0:
            folder = folder[:cut]
    if folder in ("gradle", "buildSrc", "src", "conf", "config", "resources") or folder.startswith(
        ("src/", "buildSrc/")
    ):
        folder = ""
    return not folder or main.startswith(f"{folder}/")
