"""Scripts with places to fill in: ``${name}`` and ``{{ name }}`` take the values of the configuration."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACE = re.compile(
    r"\$\{\s*(?P<dollar>[\w.-]+)\s*(?::-?(?P<default>[^}]{0,2000}))?\}|"
    r"\{\{\s*(?P<braces>[\w.-]+)\s*\}\}"
)


_OPEN = r"\$\{\s*[\w.-]+\s*\}|\{\{\s*[\w.-]+\s*\}\}"
_PAIR = re.compile(r"'(?P<key>(?:[^']|''){0,200}+)'\s*+=\s*+'(?P<value>(?:[^']|''){0,20000}+)'")
_DECIDING = re.compile(
    r"(?i)connector|type|property-version|sink\.parallelism|scan\.parallelism|lookup\.async|"
    r"changelog-mode|scan\.(?:full-changelog|incremental\.snapshot\.enabled)|default-database|"
    r"(?:table|execution|parallelism|sql-client)\..*|pipeline\.(?!name$).*"
)
"""Options that decide which operators a table or a job has; any other says where data is and how to get at it."""


def left_open(text: str) -> tuple[str, ...]:
    """The names in a statement that have no value and that decide how it is planned.

    A place in an option such as a password, a topic or a host moves no operator and may stay open.
    """
    if not is_open(text):  # of long statements, what is looked for below takes long
        return ()
    rest = _PAIR.sub(lambda pair: pair[0] if _DECIDING.fullmatch(pair["key"]) else "", text)
    return tuple(dict.fromkeys(match["dollar"] or match["braces"] for match in _PLACE.finditer(rest)))


_NO_EFFECT = re.compile(
    r"(?i)parallelism\.default|pipeline\.name|execution\.checkpointing\..*|state\..*|restart-strategy.*|rest\..*|"
    r"sql-client\..*|table\.local-time-zone|table\.exec\.source\.idle-timeout|pipeline\.auto-watermark-interval|"
    r"table\.exec\.mini-batch\.(?:size|allow-latency)"
)
_ANY_VALUE = {"table.exec.mini-batch.size": "5000", "table.exec.mini-batch.allow-latency": "5 s"}


def any_value(key: str) -> str | None:
    """What stands for an option that ``stays_open``, None where it is left out.

    A default parallelism that is not given is left to the deployment.
    """
    return _ANY_VALUE.get(key.lower())


def stays_open(key: str, value: str) -> bool:
    """Whether an option of the session may go without its value: what is planned is the same with any."""
    return is_open(value) and _NO_EFFECT.fullmatch(key) is not None


def is_open(value: str) -> bool:
    """Whether a value has an unfilled place of a template."""
    return _PLACE.search(value) is not None


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with all values put in; a place without a value stays as it is.

    One that is the catalog or the database in a name becomes that part of it, so that the statement can be planned.
    """

    def fill(match: re.Match[str]) -> str:
        return values.get(match["dollar"] or match["braces"], match["default"] or match[0])

    text = _PLACE.sub(fill, text)
    return "".join(_in_names(match) for match in _TOKEN.finditer(text)) if is_open(text) else text


_TOKEN = re.compile(
    r"""(?P<comment>
          (?:--|//)[^\n]*
        | (?<![^\n])[ \t]*\#[^\n]*   # of programs that leave such lines out: Flink itself refuses them
        | /\*(?!\+).*?(?:\*/|\Z))    # a hint /*+ ... */ is none
      | (?P<quoted>
          '(?:[^']|'')*(?:'|\Z)
        | `(?:[^`]|``)*(?:`|\Z)
        | "(?:[^"]|"")*(?:"|\Z))
      | ;
      | [^-/'`";\n]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"\w+|[^\w\s]")


_IN_NAME = re.compile(rf"(?<![\w}}])(?:{_OPEN})(?=\s*\.\s*[\w`$])|(?<=\.)(?:{_OPEN})(?=\s*(?:;|$))")
_IN_QUOTES = re.compile(_OPEN)


def _in_names(token: re.Match[str]) -> str:
    """A token with the open places in names as words. A table that is defined under another name is not found then."""
    if token["comment"] is not None or (token["quoted"] is not None and not token[0].startswith("`")):
        return token[0]
    places = _IN_NAME if token["quoted"] is None else _IN_QUOTES
    return places.sub(lambda place: re.sub(r"\W+", "_", place[0].strip("${} ")), token[0])


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement without comments, and the line on which it begins, counted from 1."""

    text: str
    line: int


def split(script: str) -> tuple[Statement, ...]:
    """The statements of a script in order, empty ones left out."""
    found: list[Statement] = []
    text, line, at = "", 1, 1
    for token, comment in (*((match[0], match["comment"]) for match in _TOKEN.finditer(script)), (";", None)):
        if token == ";":
            if text.strip():
                found.append(Statement(text.strip(), line))
            text = ""
        elif comment is not None:
            text += " "
        else:
            if not text.strip() and token.strip():
                line = at + token[: len(token) - len(token.lstrip())].count("\n")
            text += token
        at += token.count("\n")
    return tuple(found)


def words(script: str) -> list[str]:
    """What a script says without its comments and layout."""
    tokens = (match for match in _TOKEN.finditer(script) if match["comment"] is None)
    return [word for match in tokens for word in ([match[0]] if match["quoted"] else _WORD.findall(match[0]))]
