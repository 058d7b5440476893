"""Whether two contents of a source or configuration file say the same: comments and layout left out."""

from __future__ import annotations

import ast
import json
import re
import warnings
from xml.etree import ElementTree

import yaml

from checker.extract.java.syntax.tokens import same_tokens
from checker.model.gathered import list_in, table_in

MAVEN = "pom.xml"
_COMMENT_OR_TEXT = re.compile(
    r'(?<!\\)(?:"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*+")|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|'
    r"/\*(?:.|\n)*?(?:\*/|\Z)"
)


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
    if path.endswith((".yaml", ".yml")):
        try:
            return _yaml(before) == _yaml(after)
        except (yaml.YAMLError, ValueError, RecursionError):
            return False
    if path.endswith(".ipynb"):
        cells = _cells(before)
        return cells is not None and cells == _cells(after)
    if path.endswith(".properties"):
        return _settings(before) == _settings(after)
    if path.endswith(MAVEN):
        code = maven_code(before)
        return code is not None and code == maven_code(after)
    return False


def maven_code(data: bytes) -> str | None:
    """What a Maven file says without its comments and layout, None where that is not known."""
    try:
        return _canonical(data)
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None


def _yaml(data: bytes) -> list[tuple[str, object, object]]:
    """A YAML file as its tokens. Raises YAMLError for one that is none, ValueError for what is not a text."""
    found = yaml.scan(data.decode("utf-8"), Loader=yaml.SafeLoader)
    return [(type(token).__name__, getattr(token, "value", None), getattr(token, "style", None)) for token in found]


def _cells(data: bytes) -> list[str] | None:
    """The code of a notebook, cell by cell; None where that is not known."""
    try:
        cells = list_in(table_in(json.loads(data)).get("cells"))
    except (ValueError, RecursionError):
        return None
    code = [cell.get("source") for cell in map(table_in, cells) if cell.get("cell_type") == "code"]
    return ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in code]


def _settings(data: bytes) -> list[bytes]:
    """The lines of a properties file without comments and empty lines; a line that another one continues is text."""
    found: list[bytes] = []
    continued = False
    for line in data.splitlines():
        written = line.lstrip()
        if continued or (written and not written.startswith((b"#", b"!"))):
            found.append(line)
            continued = (len(line) - len(line.rstrip(b"\\"))) % 2 == 1
    return found


def _canonical(data: bytes) -> str:
    """A Maven file without comments and the white space that Maven trims. Raises ValueError for one with a DTD."""
    text = data.decode("utf-8")
    if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
        raise ValueError("a document type is not compared")
    return ElementTree.canonicalize(text.lstrip("\ufeff"), strip_text=True)


def without_comments(text: str) -> str:
    """Source of a language with comments and texts like Java's, without its comments."""
    return _COMMENT_OR_TEXT.sub(lambda found: " " if found.group().startswith("/") else found.group(), text)


_TEXT_OR_SPACE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|`[^`\n]*`|(?<=\S)[ \t]+')


def _lines(data: bytes) -> list[str]:
    """Source in which line ends and indentation count, without comments, empty lines and other space between words.

    Lines with texts in texts (``s"${name("a")}"``), and those of files with texts of several lines, count as they are.
    """
    text = without_comments(data.decode("utf-8", "surrogateescape"))
    lines = [line if '"""' in text else line.rstrip() for line in text.split("\n") if line.strip()]
    return [line if '"""' in text or "${" in line else _spaced(line) for line in lines]


def _spaced(line: str) -> str:
    return _TEXT_OR_SPACE.sub(lambda found: " " if found[0].isspace() else found[0], line)
