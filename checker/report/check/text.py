"""The report for terminals: findings first, then one line per pipeline, the verdict last."""

import textwrap
from collections.abc import Sequence

from checker.model.findings import Severity, Verdict
from checker.model.nested import Json
from checker.model.unknowns import settle
from checker.repair.advice import MAKES_THEM
from checker.report.grouping import alike, grouped, notes_to_show, silenced_once, worst_first
from checker.report.presentable import TERMINAL, WORDS, WORST_FIRST, Terminal, presentable, short, without_graphs
from checker.report.wording import (
    FACTS,
    STATUS_WORDS,
    account_line,
    change,
    failures,
    flink_of,
    headline,
    in_short,
    listed,
    place,
    plainly_new,
    plural,
    reading_in_full,
    revision,
    says_more,
    tally,
    unmentioned_unknowns,
    untouched,
    verdict_of,
    worth_a_line,
    worth_showing,
)
from checker.rules.suppressions import UNDECIDED_RULES

_SEVERITY_STYLE = {Severity.ERROR: ("bold", "red"), Severity.WARNING: ("yellow",), Severity.INFO: ("blue",)}
_REPORT_STYLE = {"passes": "green", "fails": "red", "undecided": "yellow", "nothing-checked": "yellow"}
_MOST_FOLLOWERS = 6
_MOST_OTHERS = 8
_MOST_EVIDENCE = 8
_MOST_REPAIRS = 3


def render_text(report: Json, terminal: Terminal | None = None, *, verbose: bool = False) -> str:
    """The whole report as plain text, with colours for a ``terminal`` that shows them; ``verbose`` with every note."""
    return _Text(presentable(without_graphs(report)), terminal or Terminal(), verbose).text()


class _Text:
    def __init__(self, report: Json, terminal: Terminal, verbose: bool) -> None:
        self.report = report
        self.verbose = verbose
        self.terminal = terminal
        self.lines: list[str] = []
        self.advised: set[tuple[str, str]] = set()
        """Advice of warnings and of what is undecided that was given already: once is enough."""
        self.edits: set[str] = set()
        """Edits that were listed already: several pipelines may reach them."""

    def text(self) -> str:
        quiet: list[Json] = []
        common, groups = self._groups()
        for together in groups:
            pipeline = together[0]
            shown = worth_showing(pipeline) and not plainly_new(pipeline)
            if shown or (self.verbose and (untouched(pipeline) or plainly_new(pipeline))):
                self._pipeline(together)
            else:
                quiet.extend(together)
        for finding, names in common:
            self.lines.append(self.terminal.styled(plural(len(names), "pipeline"), "bold"))
            self._say(listed([short(name, 60) for name in names], _MOST_OTHERS), 2, hanging=0)
            self._finding(finding, ())
            self.lines.append("")
        for line in in_short(quiet, every=self.verbose):
            self._say(line)
        if quiet:
            self.lines.append("")
        notes = notes_to_show(self.report, every=self.verbose)
        for note in notes:
            self._say(f"note: {_at(note['location'])}{note['message']}")
        for loosening in self.report["loosened"]:
            self._say(f"loosened: {loosening}")
        if notes or self.report["loosened"]:
            self.lines.append("")
        base, head = self.report["base"], self.report["head"]
        self._say(f"{revision(base['label'])} → {revision(head['label'])}", style=("dim",))
        for side in (base, head):
            if side["note"]:
                self._say(side["note"], 2, style=("dim",))
        words, counts = headline(self.report), tally(self.report)
        verdict = self.terminal.styled(words, "bold", _REPORT_STYLE[self.report["verdict"]])
        fits = len(words) + len(counts) + 2 <= self.terminal.width
        self.lines += [f"{verdict}  {counts}"] if fits else [verdict, *textwrap.wrap(counts, self.terminal.width)]
        return "\n".join(self.lines) + "\n"

    def _groups(self) -> tuple[list[tuple[Json, list[str]]], list[list[Json]]]:
        """Findings that pipelines of several groups share, and the groups: one each, or what is alike together."""
        pipelines = self.report["pipelines"]
        if self.verbose:
            return [], [[pipeline] for pipeline in worst_first(pipelines)]
        return grouped(pipelines)

    def _say(self, text: str, indent: int = 0, *, style: tuple[str, ...] = (), hanging: int = 2) -> None:
        wrapped = textwrap.wrap(
            text,
            self.terminal.width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hanging),
            break_on_hyphens=False,
            break_long_words=False,
        )
        self.lines.extend(self.terminal.styled(line, *style) for line in wrapped or [""])

    def _pipeline(self, together: Sequence[Json]) -> None:
        pipeline, others = together[0], [same["name"] for same in together[1:]]
        about = " · ".join(filter(None, (STATUS_WORDS[pipeline["status"]], flink_of(pipeline), _verdicts(pipeline))))
        name = self.terminal.styled(short(pipeline["name"]), "bold")
        self.lines.append(f"{name}  {self.terminal.styled(about, 'dim')}")
        if others:
            most = len(others) if self.verbose else _MOST_OTHERS
            names = listed([short(name, 60) for name in others], most)
            self._say(f"and so {plural(len(others), 'other')}: {names}", 2)
        if self.verbose or says_more(pipeline):
            self._say(reading_in_full(pipeline), 2, style=("dim",))
        for side, failure in failures(pipeline):
            where = pipeline["failure_location"][side or "head"]
            self._say(f"{side + ': ' if side else ''}{_at(where)}{failure}", 2, style=("red",))
        for first, *more in alike(pipeline["findings"]):
            self._finding(first, more)
        if not pipeline["findings"]:
            self._operators(pipeline)
        for unknown in unmentioned_unknowns(pipeline):
            reason = f"{_at(unknown['location'])}{unknown['reason']}{settle(unknown['settled_by'])}"
            self._say(f"undecided: {reason}", 2, style=("yellow",))
        edits = account_line(pipeline)
        if edits is not None:
            self._say(edits, 2, style=("dim",))
        for silenced in silenced_once(pipeline):
            self._say(f"suppressed: {silenced}", 2, style=("dim",))
        self.lines.append("")

    def _finding(self, finding: Json, alike: Sequence[Json]) -> None:
        severity = Severity(finding["severity"])
        mark = self.terminal.styled(severity.value, *_SEVERITY_STYLE[severity])
        rule = self.terminal.styled(f"[{finding['rule']} {finding['fingerprint']}]", "dim")
        first, *rest = textwrap.wrap(
            short(finding["message"], 600), self.terminal.width - 10, break_long_words=False, break_on_hyphens=False
        ) or [""]
        self.lines.append(f"  {mark}: {first}{'' if rest else ' ' + rule}")
        self.lines.extend(f"    {line}" for line in rest[:-1])
        if rest:
            self.lines.append(f"    {rest[-1]} {rule}")
        if finding["location"]:
            self._say(f"at {place(finding['location'])}", 4)
        if alike:
            names = [_named(similar) for similar in alike]
            self._say(f"and so {listed(names, len(names) if self.verbose else _MOST_OTHERS)}", 4)
        if severity is Severity.INFO:
            # The message says it all; what is behind it stands in the other formats.
            return
        facts = finding["evidence"] if self.verbose else worth_a_line(finding)
        evidence = [fact for fact in facts if fact["name"] != "edit" or fact["after"] not in self.edits]
        self.edits.update(fact["after"] for fact in evidence if fact["name"] == "edit")
        for fact in evidence if self.verbose else evidence[:_MOST_EVIDENCE]:
            most = 300 if fact["name"] in FACTS else 200
            text = change(fact, most, compared=finding["base"] is not None)
            self._say(f"{fact['name']}: {text}", 4, style=("dim",))
        above = len(facts) - len(evidence)
        if above:
            self._say(f"and {plural(above, 'edit')} that {'stand' if above > 1 else 'stands'} above", 4, style=("dim",))
        more = len(evidence) - _MOST_EVIDENCE
        if more > 0 and not self.verbose:
            self._say(f"and {more} more: --verbose lists them", 4, style=("dim",))
        followers = [short(f["name"], 40) for f in finding["followers"]]
        if followers:
            self._say(f"same cause: {listed(followers, _MOST_FOLLOWERS)}", 4)
        general = (finding["rule"], finding["repair"])
        own = severity is Severity.ERROR and finding["rule"] not in UNDECIDED_RULES
        if finding["repair"] and (own or general not in self.advised):
            self.advised.add(general)
            self._say("repair:", 4)
            self.lines.extend(f"      {line}" for line in self._repair(finding["repair"].split("\n")))

    def _repair(self, lines: list[str]) -> list[str]:
        """The lines of a repair; a command that makes many edits stands for most of them."""
        if self.verbose or len(lines) <= _MOST_REPAIRS + 1 or not lines[-1].endswith(MAKES_THEM):
            return lines
        left = len(lines) - _MOST_REPAIRS
        return [*lines[: _MOST_REPAIRS - 1], f"and {left} more: --verbose lists them", lines[-1]]

    def _operators(self, pipeline: Json) -> None:
        for row in pipeline["operators"]:
            verdict = Verdict(verdict_of(row))
            if verdict in (Verdict.RESTORES, Verdict.STATELESS):
                continue
            name = short((row["head"] or row["base"])["name"], 48)
            word = self.terminal.styled(f"{WORDS[verdict]:<14}", TERMINAL[verdict])
            self.lines.append(f"  {word} {name}")


def _named(finding: Json) -> str:
    """A finding that is like another one, by its operator, its line and its fingerprint."""
    name = short((finding["head"] or finding["base"])["name"], 60)
    where = place(finding["location"]).rpartition("/")[2]
    return f"'{name}' ({where}{' ' if where else ''}{finding['fingerprint']})"


def _at(location: Json | None) -> str:
    return f"{place(location)}: " if location else ""


def _verdicts(pipeline: Json) -> str:
    counted = [verdict_of(row) for row in pipeline["operators"]]
    counts = [f"{counted.count(v)} {WORDS[v]}" for v in WORST_FIRST if v in counted and v != Verdict.STATELESS]
    return f"operators: {', '.join(counts)}" if counts else ""
