"""YAML of a repository, read so that no text can cost more than it is long.

In: text. Out: plain values. Called by everything that reads configuration and manifests. Aliases are followed, since
people use them; a text whose aliases stand for more than a bounded number of values, or for themselves, is refused.

Whether two contents of a source or configuration file say the same: comments and layout left out.

Java source as tokens, without comments and layout: cheaper than a tree, and enough to see whether code changed.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from xml.etree import ElementTree

import yaml

from checker.extract import other_languages
from checker.extract.java_logs import without_logs
from checker.extract.sql.scripts.templates import words
from checker.model.nested import list_in, table_in

MOST_VALUES = 200_000
"""Values that the documents of one text may stand for, with every alias written out."""
MOST_CHARACTERS = 5_000_000
MOST_LEVELS = 500
"""How deep values may be nested. The C loader ends the whole process where its own stack is full."""

_EXPRESSION = re.compile(r"\{\{-?\s*+(?:\w++\.)*+([A-Za-z_]\w*+)[^{}\n]*+\}\}|(?<![\w\"'])[@%](\w+)[@%]")
_STATEMENT = re.compile(r"^[ \t]*\{%.*%\}[ \t]*$", re.M)


def yaml_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text, empty ones left out.

    Raises yaml.YAMLError for what is not YAML, is nested too deeply, or stands for too much.
    """
    try:
        if len(text) > MOST_CHARACTERS:
            raise yaml.YAMLError(f"it has more than {MOST_CHARACTERS:,} characters")
        return tuple(document for document in loaded(text, yaml.CSafeLoader) if document is not None)
    except (ValueError, RecursionError) as error:
        raise yaml.YAMLError(str(error)) from None


def json_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text in JSON, one after the other; none where it is not JSON, or too much of it.

    YAML takes most JSON, but no tabulators, and no documents that nothing divides.
    """
    found: list[Any] = []
    text = text.strip()
    if not text.startswith(("{", "[")) or len(text) > MOST_CHARACTERS:
        return ()
    place, decoder = 0, json.JSONDecoder()
    try:
        while place < len(text):
            document, place = decoder.raw_decode(text, place)
            found.append(document)
            while place < len(text) and text[place].isspace():
                place += 1
    except (ValueError, RecursionError):
        return ()
    return tuple(found)


def loaded(text: str, kind: Any, most: int = MOST_VALUES) -> Iterator[Any]:
    """The documents of a text as a loader makes them, each counted before it is made. Raises yaml.YAMLError."""
    _refuse_deep(text)
    left = most
    loader = kind(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            left -= _counted(node, {}, left)
            yield _constructed(loader, node)
    finally:
        loader.dispose()


def _constructed(loader: Any, node: yaml.Node) -> Any:
    """What a node stands for. A tag says of any text what it is: constructors fail on what is none in several ways."""
    try:
        return loader.construct_document(node)
    except (LookupError, AttributeError, TypeError, ArithmeticError) as error:
        raise yaml.YAMLError(f"a value is not what its tag says ({type(error).__name__})") from None


def _counted(node: yaml.Node, known: dict[int, int], most: int) -> int:
    """How many values a node stands for, with every alias and merge key written out. Raises yaml.YAMLError."""
    found = known.get(id(node))
    if found is None:
        known[id(node)] = most  # for a node that holds itself
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in parts for part in pair]
        found = known[id(node)] = 1 + sum(_counted(part, known, most) for part in parts)
    if found > most:
        raise yaml.YAMLError(f"its aliases stand for more than {most:,} values")
    return found


def _refuse_deep(text: str) -> None:
    """Every level takes a bracket, or a column of some line: most texts need no second look."""
    if text.count("[") + text.count("{") <= MOST_LEVELS and max(map(len, text.splitlines()), default=0) <= MOST_LEVELS:
        return
    level = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > MOST_LEVELS:
                raise yaml.YAMLError(f"nested more than {MOST_LEVELS} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def template_documents(text: str) -> tuple[Any, ...]:
    """The documents of a text, which may be a template: variables stand in what it fills in. Raises yaml.YAMLError."""
    try:
        return yaml_documents(text)
    except yaml.YAMLError:
        return yaml_documents(with_variables(text))


def with_variables(text: str) -> str:
    """A template with variables of a shell in place of what something fills in: ``{{ name }}``, ``@NAME@``."""
    return _EXPRESSION.sub(lambda match: f"${{{match[1] or match[2]}}}", _STATEMENT.sub("", text))


_COMMENT_OR_TEXT = re.compile(
    r'(?<!\\)(?:"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*+")|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|'
    r"/\*(?:.|\n)*?(?:\*/|\Z)"
)


@lru_cache(maxsize=256)
def _same_python(before: bytes, after: bytes) -> bool:
    """Whether two scripts say the same: without comments, docstrings of functions, and types that one of them lacks.

    Types where there were none give nothing new to what asks for types.
    """
    trees = ast.parse(before), ast.parse(after)
    functions = [[node for node in ast.walk(tree) if isinstance(node, _PythonFunction)] for tree in trees]
    documented = _ASKING_DOCUMENTATION.search(before + after) is not None
    for node in (*functions[0], *functions[1]):
        if not documented and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    for old, new in zip(*functions, strict=False):
        for parts in zip((old, *ast.walk(old.args)), (new, *ast.walk(new.args)), strict=False):
            _leave_type_out(*parts)
    return ast.dump(trees[0]) == ast.dump(trees[1])


_PythonFunction = ast.FunctionDef | ast.AsyncFunctionDef
_ASKING_DOCUMENTATION = re.compile(rb"__doc__|getdoc")


def _leave_type_out(*parts: ast.AST) -> None:
    """Leave out the type of an argument or result that one of two revisions says, where nothing is called for it."""
    names = ["returns" if isinstance(part, _PythonFunction) else "annotation" for part in parts]
    given = [getattr(part, name, None) for part, name in zip(parts, names, strict=True)]
    called = any(isinstance(node, ast.Call | ast.NamedExpr) for top in given if top for node in ast.walk(top))
    if None in given and not called:
        for part, name in zip(parts, names, strict=True):
            setattr(part, name, None)


def same_code(path: str, before: bytes, after: bytes) -> bool:
    """True only where it is certain: of other languages and of what does not parse every byte counts."""
    if path.endswith(".java"):
        return same_tokens(before, after)
    if path.endswith((".kt", ".scala", ".groovy")):
        by_trees = other_languages.same(path, before, after)
        return _lines(before) == _lines(after) if by_trees is None else by_trees
    if path.endswith(".py"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _same_python(before, after)
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
    if path.endswith(".sql"):
        return words(before.decode("utf-8", "replace")) == words(after.decode("utf-8", "replace"))
    if path.endswith(".properties"):
        return _settings(before) == _settings(after)
    if path.endswith("pom.xml"):
        code = maven_code(before)
        return code is not None and code == maven_code(after)
    return False


def maven_code(data: bytes) -> str | None:
    """What a Maven file says without comments and the white space that Maven trims, None where that is not known."""
    try:
        text = data.decode("utf-8")
        if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
            return None  # a document type is not compared
        return ElementTree.canonicalize(text.lstrip("\ufeff"), strip_text=True)
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


def without_comments(text: str) -> str:
    """Source of a language with comments and texts like Java's, without its comments."""
    return _COMMENT_OR_TEXT.sub(lambda found: " " if found.group().startswith("/") else found.group(), text)


def _lines(data: bytes) -> list[str]:
    """Source without comments, empty lines and space at the ends of lines; one with texts of several lines as it is."""
    text = data.decode("utf-8", "surrogateescape")
    if '"""' in text or "'''" in text:
        return [text]
    return [line.rstrip() for line in without_comments(text).splitlines() if line.strip()]


_TOKEN = re.compile(
    rb'(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>(?<!\\)(?:"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*+"))|'
    rb"(?P<char>(?<!\\)'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)|(?P<number>\d[\w.]*)|(?P<other>\S)",
    re.DOTALL,
)


class Token(NamedTuple):
    """One token: ``kind`` is string, char, name, number or other; ``place`` its offset in bytes."""

    kind: str
    text: str
    place: int


def tokens(data: bytes, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens between two offsets."""
    return [
        Token(match.lastgroup or "other", match.group().decode("utf-8", "replace"), match.start())
        for match in _TOKEN.finditer(data, start, len(data) if end is None else end)
        if match.lastgroup != "comment"
    ]


_MENTIONED = re.compile(
    rb'//[^\n]*|/\*.*?(?:\*/|\Z)|((?<!\\)(?:"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*+"))|\'(?:\\.|[^\'\\\n])\'|'
    rb"\d[\w.]*|([A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\s*\.\s*[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)*)",
    re.DOTALL,
)


class Mentions(NamedTuple):
    """The names in some source, qualified ones as one with dots, and its texts without quotes."""

    names: frozenset[str]
    strings: frozenset[str]


def mentions(data: bytes, start: int, end: int) -> Mentions:
    """What source between two offsets mentions: cheaper than its tokens."""
    found = set(_MENTIONED.findall(data, start, end))
    return Mentions(
        frozenset("".join(name.decode("utf-8", "replace").split()) for _, name in found if name),
        frozenset(text.decode("utf-8", "replace").strip('"') for text, _ in found if text),
    )


@lru_cache(maxsize=256)
def same_tokens(before: bytes, after: bytes) -> bool:
    """Whether two files say the same to the compiler, but for what they log."""
    old, new = ([m.group() for m in _TOKEN.finditer(data) if m.lastgroup != "comment"] for data in (before, after))
    if old == new:
        return True
    if b"\\u" in before + after:
        return False
    old, new = map(without_logs, (old, new))
    return _without_idle_imports(old) == _without_idle_imports(new)


def _without_idle_imports(texts: list[bytes]) -> tuple[list[bytes], set[tuple[bytes, ...]]]:
    """A file's tokens without its imports, and the imports whose name occurs in them or that import on demand.

    An import of a single name that nothing mentions means nothing, and the order of imports neither (JLS 7.5).
    """
    code: list[bytes] = []
    imports: list[tuple[bytes, ...]] = []
    rest = iter(texts)
    for token in rest:
        if token == b"import":
            imports.append(tuple(iter(lambda: next(rest, b";"), b";")))
        else:
            code.append(token)
    used = {*code, b"*"}
    return code, {path for path in imports if not path or path[-1] in used}
