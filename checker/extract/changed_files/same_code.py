"""Whether two contents of a source file are the same program: comments and layout left out."""

from __future__ import annotations

import ast
import re
import warnings
from xml.etree import ElementTree

from checker.extract.java.syntax.tokens import same_tokens

_COMMENT_OR_TEXT = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def same_code(path: str, before: bytes, after: bytes) -> bool:
    """True only where it is certain: of other languages and of what does not parse every byte counts."""
    if path.endswith(".java"):
        return same_tokens(before, after)
    if path.endswith((".kt", ".scala", ".groovy")):
        return _lines(before) == _lines(after)
    if path.endswith(".py"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
        except (SyntaxError, ValueError, RecursionError):
            return False
    if path.endswith("pom.xml"):
        try:
            return _canonical(before) == _canonical(after)
        except (ElementTree.ParseError, ValueError, RecursionError):
            return False
    return False


def _canonical(data: bytes) -> str:
    """A Maven file without comments and the white space that Maven trims. Raises ValueError for one with a DTD."""
    text = data.decode("utf-8")
    if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
        raise ValueError("a document type is not compared")
    return ElementTree.canonicalize(text.lstrip("\ufeff"), strip_text=True)


def without_comments(text: str) -> str:
    """Source of a language with comments and texts like Java's, without its comments."""
    return _COMMENT_OR_TEXT.sub(lambda found: " " if found.group().startswith("/") else found.group(), text)


def _lines(data: bytes) -> list[str]:
    """Source in which line ends and indentation count, without comments and empty lines."""
    text = without_comments(data.decode("utf-8", "surrogateescape"))
    return [line if '"""' in text else line.rstrip() for line in text.split("\n") if line.strip()]
