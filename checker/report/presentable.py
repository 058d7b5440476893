"""Makes strings of analysed programs safe to show: nothing invisible, nothing that controls a terminal or is markup.

Names and uids can hold anything. Every format for people gets its report through ``presentable`` first.

The verdicts as every report speaks of them: words, marks and colours, and what of these a terminal can show.
"""

import html
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TextIO
from urllib.parse import quote

from checker.model.findings import Severity, Verdict
from checker.model.nested import Json

_LINES_KEPT = frozenset({"repair", "page", "help", "configuration"})
"""Keys of fields that are several lines by nature."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def presentable(document: Any) -> Any:
    """The same document with every string made visible."""
    return _walk(document, keep_lines=False)


def without_graphs(report: dict[str, Any]) -> dict[str, Any]:
    """The report for formats that draw nothing: the graphs are most of its size."""
    return {**report, "pipelines": [{**pipeline, "graphs": None} for pipeline in report["pipelines"]]}


def _walk(value: Any, *, keep_lines: bool) -> Any:
    if isinstance(value, str):
        return visible_lines(value) if keep_lines else visible(value)
    if isinstance(value, dict):
        return {visible(key): _walk(item, keep_lines=key in _LINES_KEPT) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, keep_lines=keep_lines) for item in value]
    return value


def visible(text: str) -> str:
    r"""Control, format (right-to-left marks, zero width), private and surrogate characters as ``\x1b``, ``\u202e``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _INVISIBLE else c for c in text)


def visible_lines(text: str) -> str:
    """The same of several lines."""
    return "\n".join(map(visible, text.split("\n")))


def complain(text: str) -> None:
    """Print lines on standard error: no name in them is a command to a terminal, or to what runs this in CI."""
    print(visible_lines(text), file=sys.stderr)


def _escape(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if known:
        return known
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def short(text: str, limit: int = 80) -> str:
    """At most ``limit`` characters; the middle is cut, since names differ at their ends."""
    if len(text) <= limit:
        return text
    front = (limit - 1) * 2 // 3
    return f"{text[:front]}…{text[len(text) - (limit - 1 - front) :]}"


def one_line(text: str) -> str:
    """All white space as single blanks."""
    return re.sub(r"\s+", " ", text).strip()


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+.!|~$-])")
_APART = "&#8203;"
"""A zero-width blank: keeps ``@name`` from notifying people, ``#1`` and URLs from turning into links."""


def escaped(text: str) -> str:
    """Text that shows as it is, wherever it stands in a line or a table cell."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SPECIAL.sub(_backslashed, text)
    text = re.sub(r"@(?=[\w./-])", f"@{_APART}", text)
    return text.replace("://", f":{_APART}//").replace("www\\.", f"www{_APART}\\.")


def html_text(text: str) -> str:
    """Text inside an element that GitHub shows as HTML, such as a ``summary``: no markup, mentions or links in it."""
    text = re.sub(r"[\[\]`*_~|\\]", lambda special: f"&#{ord(special[0])};", html.escape(text, quote=False))
    text = re.sub(r"@(?=[\w./-])", f"@{_APART}", text)
    text = re.sub(r"(?<!&)#(?=\w)", f"#{_APART}", text)
    return text.replace("://", f":{_APART}//").replace("www.", f"www{_APART}.")


def _backslashed(match: re.Match[str]) -> str:
    character = match[1]
    if character == "#":
        return f"\\#{_APART}"
    # These start something only at the beginning, and sentences are full of them.
    if character in "-.+()" and match.start() > 0:
        return character
    return f"\\{character}"


def code(text: str) -> str:
    """A code span; safe inside a table cell too."""
    text = text.replace("\n", " ")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{edge}{text}{edge}{fence}".replace("|", "\\|")


_PROSE = re.compile(r"(?<![\w.\"'-])[a-z]+,? [a-z]+,? [a-z]+\b(?![.(])")
"""Three words of a sentence; names, calls and commands have none."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NAMED = re.compile(r".*?: (?=\.?\w+\()")
"""Names of operators in front of the call that they are to have: they may be words of a sentence."""


def is_prose(text: str) -> bool:
    """Whether a line is a sentence, as opposed to an identifier, a file, a call or a command."""
    return _PROSE.search(_NAMED.sub("", _QUOTED.sub("''", text), count=1)) is not None


def code_or_prose(text: str) -> str:
    """One line in Markdown: code is set as code, a sentence is not."""
    return escaped(text) if is_prose(text) else code(text)


def code_block(text: str, language: str = "") -> str:
    """A fenced block that its own content can't close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def link(text: str, url: str | None) -> str:
    """A link with code as its text, or only the code where there is no address."""
    return code(text) if url is None else f"[{code(text)}]({url})"


def web_address(remote: str | None) -> str | None:
    """The page of a repository, from what ``git remote`` says; None for a folder or an unknown form.

    What a clone address carries in front of the host (a user, a token) is left behind.
    """
    text = (remote or "").strip()
    match = re.fullmatch(r"(?:https?|ssh|git)://(?:[^@/]*@)?([\w.-]+)(?::\d+)?/(.+?)(?:\.git)?/?", text)
    match = match or re.fullmatch(r"(?:[\w.-]+@)([\w.-]+):(?!//)(.+?)(?:\.git)?/?", text)
    if not match or "/" not in match[2]:
        return None
    return f"https://{match[1]}/{quote(match[2])}"


def source_link(report: Json, location: Json | None, side: str) -> str | None:
    """The address of one line as it stands at ``base`` or ``head``; None where the commit has no page."""
    page, commit = report.get("repository_url"), report[side]["commit"]
    if location is None or page is None or commit is None:
        return None
    file, line = quote(location["file"], safe="/"), location["line"]
    host = re.sub(r"^https://([^/]*).*", r"\1", page)
    if "gitlab" in host:
        return f"{page}/-/blob/{commit}/{file}#L{line}"
    if "bitbucket" in host:
        return f"{page}/src/{commit}/{file}#lines-{line}"
    return f"{page}/blob/{commit}/{file}#L{line}"


HISTORY = "history"
"""The series of steps that an audit goes through commit by commit; every other one is a question (``--what-if``)."""
WORST_FIRST = (
    Verdict.FAILS, Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.UNDECIDED, Verdict.STARTS_EMPTY, Verdict.RESTORES,
    Verdict.STATELESS,
)  # fmt: skip
WORDS = {
    Verdict.RESTORES: "restores",
    Verdict.FAILS: "start fails",
    Verdict.DROPPED: "state dropped",
    Verdict.STARTS_EMPTY: "starts empty",
    Verdict.MISASSIGNED: "wrong operator",
    Verdict.UNDECIDED: "undecided",
    Verdict.STATELESS: "no state",
}
MARKS = {
    Verdict.RESTORES: "✓", Verdict.FAILS: "✕", Verdict.DROPPED: "−", Verdict.MISASSIGNED: "⇄",
    Verdict.UNDECIDED: "?", Verdict.STARTS_EMPTY: "○", Verdict.STATELESS: "·",
}  # fmt: skip
DOTS = {
    Verdict.RESTORES: "🟢", Verdict.FAILS: "🔴", Verdict.DROPPED: "🔴", Verdict.MISASSIGNED: "🟣",
    Verdict.UNDECIDED: "❔", Verdict.STARTS_EMPTY: "🔵", Verdict.STATELESS: "⚪",
}  # fmt: skip
"""Coloured marks for Markdown."""
TERMINAL: dict[str, str] = {
    Verdict.RESTORES: "green", Verdict.FAILS: "red", Verdict.DROPPED: "yellow", Verdict.MISASSIGNED: "red",
    Verdict.UNDECIDED: "yellow", Verdict.STARTS_EMPTY: "blue", Verdict.STATELESS: "dim",
}  # fmt: skip
SEVERITIES: dict[str, str] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
"""Colours of severities on a terminal."""


_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35"}


@dataclass(frozen=True, slots=True)
class Terminal:
    """How text is shown: with ANSI colours or without, and how many columns a line may take."""

    colour: bool = False
    width: int = 100

    def styled(self, text: str, *styles: str) -> str:
        """The text in these styles, unchanged without colour."""
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"


def terminal_of(stream: TextIO, environ: Mapping[str, str] | None = None) -> Terminal:
    """What a stream can show. Colour needs a terminal (or FORCE_COLOR), no NO_COLOR and no TERM=dumb."""
    env = os.environ if environ is None else environ
    tty = stream.isatty()
    colour = not env.get("NO_COLOR") and (bool(env.get("FORCE_COLOR")) or (tty and env.get("TERM") != "dumb"))
    columns = shutil.get_terminal_size((100, 24)).columns if tty else 100
    return Terminal(colour=colour, width=max(40, min(columns, 120)))
