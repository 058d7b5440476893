"""What the path of a Java file says."""

from __future__ import annotations

import re

_KINDS = "(integration|functional|acceptance|component|system|unit|smoke|e2e)-?tests?"
_TEST_FOLDERS = re.compile(rf"(^|/)(src/(test\w*|\w+Tests?|{_KINDS}|it|jmh)|test|tests)/")


def in_tests(path: str) -> bool:
    """Whether the path is one of a test source folder."""
    return _TEST_FOLDERS.search(path) is not None


def module_of(path: str) -> str:
    """The folder of the build module that a source file belongs to: what stands before ``src/``."""
    if path.startswith("src/"):
        return ""
    return path.rpartition("/src/")[0] if "/src/" in path else path.rpartition("/")[0]
