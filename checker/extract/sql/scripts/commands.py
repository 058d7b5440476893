"""What the statements of a script ask for: options, definitions, jobs, and what concerns no job."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from checker.extract.sql.scripts.templates import Statement, split

NAME = r"(?:`(?:[^`]|``)+`|[\w$-]+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|[\w$-]+))*"
"""A name of SQL as it is written, with the names of its catalog and database before it."""
_OPTION = r"'?(?P<key>[^'=\s;]+)'?"
_SET = re.compile(rf"set\s+{_OPTION}\s*=\s*(?:'(?P<quoted>(?:[^']|'')*)'|(?P<value>.*?))\s*", re.IGNORECASE | re.DOTALL)
_RESET = re.compile(r"reset(?:\s+'?(?P<key>[^'\s]+)'?)?\s*", re.IGNORECASE)
_BEGIN_SET = re.compile(r"(?:execute\s+|begin\s+)statement\s+set(?:\s+begin)?\b\s*", re.IGNORECASE)
_COMPILE = re.compile(
    r"compile\s+(?P<run>and\s+execute\s+)?plan\s+'(?P<path>[^']*)'\s+(?:if\s+not\s+exists\s+)?for\s+(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EXECUTE_PLAN = re.compile(r"execute\s+plan\s+'(?P<path>[^']*)'\s*", re.IGNORECASE)
_CATALOG = re.compile(
    rf"create\s+catalog\s+(?:if\s+not\s+exists\s+)?(?P<name>{NAME})\s*(?:comment\s+'[^']*'\s*)?(?:with\s*\((?P<options>.*)\))?\s*",
    re.IGNORECASE | re.DOTALL,
)
_FUNCTION = re.compile(
    r"(?P<text>create\s+(?:or\s+replace\s+)?(?:temporary\s+(?:system\s+)?)?function\s+(?:if\s+not\s+exists\s+)?"
    rf"(?P<name>{NAME})\s+as\s+'(?P<class>[^']+)')(?:\s+language\s+(?P<language>\w+))?(?:\s+using\s+.*)?\s*",
    re.IGNORECASE | re.DOTALL,
)
_PAIR = re.compile(r"'((?:[^']|''){0,200}+)'\s*+=\s*+'((?:[^']|''){0,20000}+)'")
_END = re.compile(r"end\s*", re.IGNORECASE)
_INSERT = re.compile(r"(?:execute\s+)?insert\s+(?:into|overwrite)\b", re.IGNORECASE)
TABLE_AS = re.compile(
    r"(?:create(?:\s+or\s+replace)?|replace)\s+table\b.*\bas\s+(?:select|with)\b", re.IGNORECASE | re.DOTALL
)
_KEPT_FRESH = re.compile(
    r"create\s+(?:or\s+alter\s+)?materialized\b(?!.*\brefresh_mode\s*=\s*full\b)", re.IGNORECASE | re.DOTALL
)
"""A materialized table that one job keeps fresh; others are computed anew each time."""
_MATERIALIZED = re.compile(
    r"(create\s+(?:or\s+alter\s+)?)materialized\s+(?=table\b)|\bfreshness\s*=\s*interval\s*'[^']*'\s*\w+\s|"
    r"\brefresh_mode\s*=\s*continuous\b(?=\s+as\s+(?:select|with)\b)|\bpartitioned\s+by\s*\([^)]*\)",
    re.IGNORECASE,
)
"""What its definition has beside that of a table which is created of a query."""
_TEMPORARY = re.compile(r"(create\s+)temporary\s+(table\b)", re.IGNORECASE)
_NO_JOB = re.compile(
    r"(?:quit|exit|clear|help|show|desc|describe|explain|select|with|values|table|add\s+jar|remove\s+jar|load\s+module|"
    r"unload\s+module\s+(?!`?core\b)|use\s+modules\s+`?core\b|analyze|truncate|call|list|source|stop\s+job)\b",
    re.IGNORECASE,
)  # fmt: skip
_INTO = re.compile(
    r"(?:insert\s+(?:into|overwrite)|(?:create(?:\s+or\s+replace)?|replace)\s+table(?:\s+if\s+not\s+exists)?)\s+"
    rf"(?P<table>{NAME})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOption:
    """``SET 'key' = 'value'``."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetOption:
    """``RESET``, of all options where no key is given."""

    key: str | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateCatalog:
    """``CREATE CATALOG``: its tables are not known beyond those that the script makes."""

    name: str
    options: tuple[tuple[str, str], ...]
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFunction:
    """``CREATE FUNCTION name AS 'class'``. ``text`` is without its language and jars: the class is read from source."""

    name: str
    class_name: str
    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Define:
    """A statement that makes no job: a table, a view, a function, ``USE``."""

    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """One job: its inserts, or its one ``CREATE TABLE … AS``. ``compiled`` gives it the uids of a plan."""

    texts: tuple[str, ...]
    line: int
    compiled: bool = False
    plan: str = ""
    """The path that its plan is compiled to."""
    lines: tuple[int, ...] = ()
    """Where each of several inserts begins."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The tables that it writes."""
        found = (_target(text) for text in self.texts)
        return tuple(table for table in found if table is not None)

    @property
    def line_of_target(self) -> dict[str, int]:
        """Table → the line of the one insert that writes it."""
        tables = [_target(text) for text in self.texts]
        return {t: n for t, n in zip(tables, self.lines, strict=False) if t is not None and tables.count(t) == 1}


def _target(insert: str) -> str | None:
    match = _INTO.search(insert)
    return match["table"].replace("`", "") if match else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """``EXECUTE PLAN``: a compiled plan in a file."""

    path: str
    line: int


Command = SetOption | ResetOption | CreateCatalog | CreateFunction | Define | RunQuery | RunPlan


@dataclass(slots=True)
class _Reader:
    found: list[Command] = field(default_factory=list)
    inserts: list[Statement] | None = None
    compiled: bool = False
    plan: str = ""

    def read(self, statement: Statement) -> None:
        text, line = statement.text, statement.line
        compile_plan = _COMPILE.fullmatch(text) if self.inserts is None else None
        if compile_plan:
            text = compile_plan["rest"].strip()
            self.compiled, self.plan = True, compile_plan["path"]
            inside = re.match(r"statement\s+set\s+begin\b\s*", text, re.IGNORECASE)
            if not inside:
                self.found.append(RunQuery(texts=(text,), line=line, compiled=True, plan=self.plan))
                return
            line += statement.text[: statement.text.index(text) + inside.end()].count("\n")
            self.inserts, text = [], text[inside.end() :].strip()
        elif self.inserts is None and (begin := _BEGIN_SET.match(text)):
            self.inserts, self.compiled, self.plan = [], False, ""
            line += begin[0].count("\n")
            text = text[begin.end() :].strip()
        if self.inserts is not None:
            self._inside(text, line)
        else:
            self._plain(text, line)

    def _inside(self, text: str, line: int) -> None:
        assert self.inserts is not None
        if _END.fullmatch(text):
            self.close()
        elif text:
            self.inserts.append(Statement(text, line))

    def close(self) -> None:
        """The end of a statement set."""
        if self.inserts:
            texts, lines = (tuple(column) for column in zip(*((i.text, i.line) for i in self.inserts), strict=True))
            found = RunQuery(texts=texts, line=lines[0], compiled=self.compiled, plan=self.plan, lines=lines)
            self.found.append(found)
        self.inserts, self.compiled = None, False

    def _plain(self, text: str, line: int) -> None:
        if _KEPT_FRESH.match(text):
            text = _MATERIALIZED.sub(lambda part: "CREATE " if part[1] else "", text)
        if match := _SET.fullmatch(text):
            value = match["value"] if match["quoted"] is None else match["quoted"].replace("''", "'")
            self.found.append(SetOption(key=match["key"], value=value, line=line))
        elif match := _RESET.fullmatch(text):
            self.found.append(ResetOption(key=match["key"], line=line))
        elif match := _CATALOG.fullmatch(text):
            options = tuple((k, v) for k, v in _PAIR.findall(match["options"] or ""))
            self.found.append(CreateCatalog(name=match["name"].replace("`", ""), options=options, line=line))
        elif match := _FUNCTION.fullmatch(text):
            self.found.append(
                CreateFunction(
                    name=match["name"].replace("`", "").rpartition(".")[2],
                    class_name=match["class"],
                    language=(match["language"] or "java").lower(),
                    text=match["text"],
                    line=line,
                )
            )
        elif match := _EXECUTE_PLAN.fullmatch(text):
            self.found.append(RunPlan(path=match["path"], line=line))
        elif _INSERT.match(text) or TABLE_AS.match(text):
            self.found.append(RunQuery(texts=(re.sub(r"(?i)^execute\s+(?=insert)", "", text),), line=line))
        elif not _NO_JOB.match(text) and not re.fullmatch(r"set\s*", text, re.IGNORECASE):
            self.found.append(Define(text=_TEMPORARY.sub(r"\1\2", text, count=1), line=line))


def commands(script: str) -> tuple[Command, ...]:
    """The commands of a script in order. What the client answers by itself (``SHOW``, ``SELECT``) is left out."""
    reader = _Reader()
    for statement in split(script):
        reader.read(statement)
    reader.close()
    return tuple(reader.found)


def jobs(found: Iterable[Command]) -> tuple[RunQuery | RunPlan, ...]:
    """The commands that submit a job. A plan that a script compiles and then executes is one job."""
    return tuple(c for c in found if isinstance(c, RunQuery | RunPlan))
