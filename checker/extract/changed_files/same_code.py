"""Whether two contents of a source file are the same program: comments and layout left out."""

from __future__ import annotations

import ast
import warnings

from checker.extract.java.syntax.tokens import same_tokens


def same_code(path: str, before: bytes, after: bytes) -> bool:
    """True only where it is certain: of other languages and of what does not parse every byte counts."""
    if path.endswith(".java"):
        return same_tokens(before, after)
    if path.endswith(".py"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
        except (SyntaxError, ValueError, RecursionError):
            return False
    return False
