"""Which ``*.sql`` files of a revision are pipelines of Flink: named by their file, found without configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from checker.extract.sql.scripts.commands import Command, Define, RunQuery, commands, jobs
from checker.model.pipelines import Discovery, ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles

_FLINK = re.compile(
    r"'connector(?:\.type)?'\s*=|'(?:table|execution|pipeline|parallelism|state|sql-client|restart-strategy)\.[\w.-]+'\s*=|"
    r"\bset\s+(?:table|execution|pipeline|parallelism|sql-client)\.[\w.-]+\s*=|"
    r"\b(?:execute|begin)\s+statement\s+set\b|\bcompile\s+(?:and\s+execute\s+)?plan\b|\bexecute\s+plan\s+'|"
    r"\bwatermark\s+for\b|\btumble\s*\(\s*table\b|\bfor\s+system_time\s+as\s+of\b|\bproctime\s*\(\s*\)",
    re.IGNORECASE,
)
_JOB = re.compile(r"\binsert\s+(?:into|overwrite)\b|\bas\s+(?:select|with)\b|\bexecute\s+plan\b", re.IGNORECASE)
_DEFINES = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:temporary\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w`.$-]+)",
    re.IGNORECASE,
)
_READ = re.compile(r"\b(?:from|join)\s+(?!lateral\b|unnest\b|table\b|\()([\w`.$-]+)(?!\s*\()", re.IGNORECASE)
_NAMED_QUERY = re.compile(r"(?:\bwith|,)\s*`?(\w+)`?\s+as\s*\(", re.IGNORECASE)
_TEMPLATING = re.compile(r"\{%|\{\{\s*(?:ref|source|config)\s*\(")
"""dbt's models: not scripts, and not Flink's."""


@dataclass(frozen=True, slots=True)
class _Script:
    path: str
    flink: bool
    commands: tuple[Command, ...]

    @property
    def defines(self) -> frozenset[str]:
        """Tables and views by their last name."""
        texts = (c.text for c in self.commands if isinstance(c, Define))
        return frozenset(_last(match["name"]) for text in texts if (match := _DEFINES.match(text)))

    @property
    def reads(self) -> frozenset[str]:
        """Names behind FROM and JOIN by their last part, those of the script's own CTEs left out."""
        texts = [text for job in jobs(self.commands) if isinstance(job, RunQuery) for text in job.texts]
        own = {match[1].lower() for text in texts for match in _NAMED_QUERY.finditer(text)}
        return frozenset(_last(match[1]) for text in texts for match in _READ.finditer(text)) - own

    @property
    def writes(self) -> frozenset[str]:
        found = (job for job in jobs(self.commands) if isinstance(job, RunQuery))
        return frozenset(_last(target) for job in found for target in job.targets)


def discover_scripts(files: SourceFiles) -> Discovery:
    """Every script with a job. One whose tables a script beside it defines is read together with that one."""
    scripts = [s for path in files.paths() if path.endswith(".sql") and (s := _script(files, path)) is not None]
    entries = []
    for script in scripts:
        if not jobs(script.commands):
            continue
        before = _definitions(script, scripts)
        if not (script.flink or any(one.flink for one in before)):
            continue
        name = script.path.rpartition("/")[2].removesuffix(".sql")
        paths = tuple(one.path for one in before)
        entries.append(
            PipelineEntry(
                name=name,
                extract=ExtractorKind.SQL,
                file=script.path,
                files=(*paths, script.path) if paths else (),
            )
        )
    return Discovery(entries=tuple(entries))


def _script(files: SourceFiles, path: str) -> _Script | None:
    text = files.read(path).decode("utf-8", "replace")
    if _TEMPLATING.search(text) or not (_FLINK.search(text) or _JOB.search(text)):
        return None
    return _Script(path, bool(_FLINK.search(text)), commands(text))


def _definitions(script: _Script, scripts: Iterable[_Script]) -> list[_Script]:
    """The scripts without a job in the same folder that define what this one writes and does not define."""
    missing = (script.writes | script.reads) - script.defines
    if not missing:
        return []
    folder = script.path.rpartition("/")[0]
    beside = [s for s in scripts if s.path.rpartition("/")[0] == folder and not jobs(s.commands)]
    defined = [name for one in beside for name in one.defines]
    if missing <= frozenset(defined) and len(set(defined)) == len(defined):  # else several ways to read them together
        return sorted(beside, key=lambda s: s.path)
    return []


def _last(name: str) -> str:
    return name.replace("`", "").rpartition(".")[2].lower()
