"""Manifests that a script fills in before they are applied: by ``envsubst``, or by ``s`` commands of ``sed``.

``envsubst`` (GNU gettext) puts in the values of variables. ``sed`` replaces what a regular expression of POSIX finds. A
value that the script does not say stays a variable, ``${NAME}``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from checker.extract.deployments.overlays import KUSTOMIZATIONS, Overlays, documents
from checker.extract.deployments.runs_of_tests import runs_tests
from checker.extract.deployments.variables import Known, assignments, expanded
from checker.extract.deployments.variables_of_scripts import MAKEFILE, as_shell, found_set
from checker.model.deployments import PARALLELISM, Deployment

TEMPLATE = re.compile(r"\.ya?ml[.-](?:tmpl|tpl|template|in|envsubst|dist|j2|jinja2?)$")
"""How names of files end that become manifests where they are filled in."""
_YAML = (".yaml", ".yml")
_MANIFEST = re.compile(rf"\.ya?ml$|{TEMPLATE.pattern}")
_TOOL = re.compile(r"(?<![\w./-])(?:envsubst|sed|yq)(?=\s)")
_CONTINUED = re.compile(r"\\\n[ \t]*")
_COMMENT = re.compile(r"\s*(?:#|//|@?(?:echo|printf)\b[^|]*$)")
_WORD = re.compile(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s'\"\\|;&<>])+|[|;&<>]+")
_PIECE = re.compile(r"'(?P<literal>[^']*)'|\"(?P<quoted>(?:\\.|[^\"\\])*)\"|(?P<plain>(?:\\.|[^'\"\\])+)")
_SUBSTITUTION = re.compile(r"\s*s([^\w\s\\])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1([gI]*)\s*(?:[;\n]|$)")
_OF_NO_USE = re.compile(r"\s*(?:/[^/]*/|\d+|\$)?\s*[dpq]\s*")
"""Commands of ``sed`` that leave out lines, or print them."""
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
_PLAIN_VARIABLE = re.compile(r"\$(\w+)")
_RUN = re.compile(r"\$\([^()]*\)|`[^`]*`")
"""What a shell puts in for a command that it runs."""
_LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^;\n]+)")
_ELEMENT = re.compile(r"\\.|\[\^?\]?[^\]]*\]|.", re.S)
_GROUPS = frozenset("(){}+?|")
"""What stands for itself in a basic regular expression, and for more behind a backslash or in an extended one."""
_REPEATED = re.compile(r"\)[*+?{]")
_MOST_REPEATED = 4
"""Of what a regular expression repeats: more of it, or groups, could be looked for in too many ways."""
_HARMLESS = re.compile(r"\.(?:image|metadata|resources?|replicas|memory|cpu|serviceAccount)\b")


@dataclass(frozen=True, slots=True)
class Filling:
    """What a script makes of manifests and templates: path → text, and what it does to some that is not followed."""

    script: str
    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, tuple[str, ...]] = field(default_factory=dict)


def fillings(texts: Mapping[str, str]) -> list[Filling]:
    """What each script among some texts makes of manifests, as far as that changes anything."""
    scripts = {path: text for path, text in texts.items() if _TOOL.search(text) and not runs_tests(path, text)}
    if not scripts:
        return []
    manifests = [path for path in texts if _MANIFEST.search(path)]
    overlays = Overlays({path: texts[path] for path in texts if path.endswith((*_YAML, *KUSTOMIZATIONS))})
    found = (_Script(path, text, texts, manifests, overlays).filling() for path, text in scripts.items())
    return [filling for filling in found if filling.texts or filling.unread]


def side_by_side(found: Sequence[Filling]) -> list[list[Filling]]:
    """Fillings in groups, in each of which no manifest is filled in twice."""
    groups: list[list[Filling]] = []
    for filling in found:
        own = {*filling.texts, *filling.unread}
        free = (group for group in groups if all(own.isdisjoint({*f.texts, *f.unread}) for f in group))
        group = next(free, None)
        if group is None:
            groups.append([filling])
        else:
            group.append(filling)
    return groups


def filled_in(deployment: Deployment, group: Sequence[Filling], *, apart: bool) -> Deployment:
    """A deployment that scripts fill in; ``apart``: other scripts fill in the same manifests otherwise."""
    own = {*deployment.files}
    ours = [filling for filling in group if not own.isdisjoint({*filling.texts, *filling.unread})]
    scripts = {filling.script for filling in ours}
    unread = tuple(text for f in ours for path, texts in f.unread.items() if path in own for text in texts)
    target = " ".join(sorted(scripts)) if apart else deployment.target
    deployment = replace(deployment, target=target, files=tuple(sorted({*own, *scripts})))
    if not unread:
        return deployment
    return replace(deployment, outside=unread, args=None, parallelism=None, filled_later=(PARALLELISM,))


class _Script:
    def __init__(
        self, path: str, text: str, texts: Mapping[str, str], manifests: list[str], overlays: Overlays
    ) -> None:
        self.path, self.texts, self.manifests, self.overlays = path, texts, manifests, overlays
        self.makes = MAKEFILE.search(path) is not None
        self.text = _CONTINUED.sub(" ", as_shell(text, path))
        self.known: Known = {**found_set(path, text, texts), **({} if self.makes else assignments(self.text))}
        self.loops: dict[str, str] = dict(_LOOP.findall(self.text))

    def filling(self) -> Filling:
        """The manifests that its lines fill in, one line after the other."""
        made = Filling(self.path)
        for line in self.text.splitlines():
            if _TOOL.search(line) and not _COMMENT.match(line):
                for words in _pipelines(line):
                    self._follow(words, made)
        for path, text in [*made.texts.items()]:
            if text == self.texts[path] or not any(True for _ in documents(text)):
                del made.texts[path]
        return made

    def _follow(self, words: list[str], made: Filling) -> None:
        read = [w for n, w in enumerate(words) if w[0] not in "|<>" and (n == 0 or words[n - 1][0] != ">")]
        for path in sorted({path for word in read for path in self._named(self._plain(word))}):
            text, unread = made.texts.get(path, self.texts[path]), list(made.unread.get(path, ()))
            for number, word in enumerate(words):
                if word == "envsubst":
                    text = self._with_variables(text, words[number + 1 :])
                elif word in ("sed", "yq"):
                    rest = words[number + 1 :]
                    end = next((n for n, w in enumerate(rest) if w[0] in "|<>"), len(rest))
                    text = self._edited(text, rest[:end], unread, by_sed=word == "sed")
            made.texts[path] = text
            if unread:
                made.unread[path] = tuple(unread)

    def _named(self, word: str) -> Iterator[str]:
        """The manifests that a word of a command names: one, those that a loop goes through, or those of a folder."""
        variable = _VARIABLE.fullmatch(word)
        patterns = self.loops.get(variable[1] or variable[2], "").split() if variable else [word]
        for pattern in patterns:
            plain = posixpath.normpath(re.sub(r"^(?:\$\{?\w+\}?/+|/+|\.\.?/+)+", "", pattern.strip("\"'")))
            beside = posixpath.join(posixpath.dirname(self.path), plain)
            folder = next((f for f in (beside, plain) if f in self.overlays.folders()), None)
            if folder is not None:
                yield from self.overlays.files_below(folder) & self.texts.keys()
            elif beside in self.texts:
                yield beside
            elif _MANIFEST.search(plain):
                yield from (p for p in self.manifests if fnmatchcase(p, plain) or fnmatchcase(p, f"*/{plain}"))

    def _plain(self, word: str) -> str:
        """A word as the shell hands it on, with the variables that are known."""
        parts = []
        for piece in _PIECE.finditer(word.replace("$$", "$") if self.makes else word):
            text = piece["quoted"] if piece["quoted"] is not None else piece["plain"]
            if text is not None:
                text = expanded(text.replace("'", "\0").replace("\\$", "\1"), self.known).text
                text = re.sub(r"\\([`\"\\])", r"\1", text.replace("\0", "'")).replace("\1", "$")
            parts.append(piece["literal"] if text is None else text)
        return "".join(parts)

    def _with_variables(self, text: str, words: list[str]) -> str:
        """A text that ``envsubst`` has filled in: all variables, or those that its argument names."""
        chosen = next((re.findall(r"\w+", word) for word in words[:1] if "$" in word), None)

        def filled(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            value = match[0] if chosen is not None and name not in chosen else expanded(f"${name}", self.known).text
            return f"${{{name}}}" if "$" in value else value

        return _VARIABLE.sub(filled, text)

    def _edited(self, text: str, words: list[str], unread: list[str], *, by_sed: bool) -> str:
        """A text after commands of ``sed``, as far as these are substitutions."""
        extended = any(re.fullmatch(r"-\w*[Er]\w*|--regexp-extended", word) for word in words)
        for word in map(self._plain, words):
            commands, place = list[re.Match[str]](), 0
            while by_sed and (command := _SUBSTITUTION.match(word, place)) is not None and command.end() > place:
                commands.append(command)
                place = command.end()
            if place < len(word):
                edits = by_sed and re.match(r"\s*(?:[/\d$][^.]*)?[sacyi][^\w\s.]|\s*/", word) is not None
                if (edits and not _OF_NO_USE.fullmatch(word)) or (not by_sed and "=" in word):
                    unread.extend([] if _HARMLESS.search(word) else [word])
                continue
            for command in commands:
                edited = _substituted(text, command, extended=extended)
                if edited is None or (edited == text and "${" in text):
                    unread.append(word)  # what it finds may be written otherwise
                text = text if edited is None else edited
        return text


def _pipelines(line: str) -> Iterator[list[str]]:
    """The words of a line up to each operator that begins another command, pipes apart."""
    words: list[str] = []
    for match in _WORD.finditer(line):
        if match[0] in (";", "&&", "||", "&"):
            yield words
            words = []
        else:
            words.append(match[0])
    yield words


def _substituted(text: str, command: re.Match[str], *, extended: bool) -> str | None:
    """A text after one substitution, None where that can't be told, or not without a search that may take long."""
    elements = _ELEMENT.findall(command[2])
    wanted = "".join(
        _of_python(element, command[1], extended)
        if (element, number) not in (("^", 0), ("$", len(elements) - 1))
        else element
        for number, element in enumerate(elements)
    )
    try:
        pattern = re.compile(wanted, re.IGNORECASE if "I" in command[4] else 0)
    except re.error:
        return None
    if _REPEATED.search(wanted) or len(re.findall(r"[*+{]", wanted)) > _MOST_REPEATED:
        return None
    given = _PLAIN_VARIABLE.sub(r"${\1}", _RUN.sub("${_}", command[3]))

    def replacement(match: re.Match[str]) -> str:
        parts = []
        for element in _ELEMENT.findall(given):
            if element == "&" or re.fullmatch(r"\\\d", element):
                parts.append(match[0] if element == "&" else match[int(element[1])] or "")
            else:
                parts.append(element.removeprefix("\\"))
        return "".join(parts)

    count = 0 if "g" in command[4] else 1
    try:
        return "\n".join(pattern.sub(replacement, line, count) for line in text.split("\n"))
    except IndexError:
        return None  # a group that the expression has not


def _of_python(element: str, delimiter: str, extended: bool) -> str:
    """A part of a regular expression of POSIX as Python writes it."""
    if element in ("^", "$"):
        return f"\\{element}"
    if element[-1] in _GROUPS and not extended:
        return element[-1] if element[0] == "\\" else f"\\{element}"
    if element == f"\\{delimiter}":
        return re.escape(delimiter)
    return element
