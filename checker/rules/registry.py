"""All rules: of ``check`` a module with ``find`` and its page, found by file; of ``gate`` a page each."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from checker.errors import UsageError, did_you_mean
from checker.model.findings import Finding, Severity
from checker.model.nested import gathered
from checker.model.restore import RestoreRule, WarningRule
from checker.rules.base import Rule, RuleContext, finding_of

RETIRED = frozenset({
    "hash-collision", "malformed-uid-hash", "uid-hash-on-sink", "uid-moves-upstream-ids", "deployment-mode-changed",
    "mapping-unused", "max-parallelism-derived", "pinned-hash-removable", "rehearsal-disagrees", "starts-empty",
    "state-starts-empty", "finished-operator-dropped", "open-windows", "restored-flag-misleads", "user-hash-in-use",
    "pinned-hash-expires", "ids-depend-on-parallelism", "id-by-position", "in-flight-data-lost",
    "vertex-max-parallelism-disagrees", "uid-depends-on-configuration", "inner-operator-unpinned",
    "uid-without-operator", "max-parallelism-adopted", "committables-dropped", "in-flight-data-dropped",
    "states-not-compared", "type-not-compared", "drained",
    "only-with-allow-non-restored",
})  # fmt: skip
"""Slugs of rules that are gone: they are never given to another rule."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by slug."""
    package = importlib.import_module("checker.rules.check")
    rules: list[Rule] = []
    for module in pkgutil.iter_modules(package.__path__):
        rule = getattr(importlib.import_module(f"checker.rules.check.{module.name}"), "find", None)
        if isinstance(rule, Rule):
            rules.append(rule)
    return tuple(sorted(rules, key=lambda r: r.slug))


SHARED = frozenset({"parallelism-above-max", "state-kind-changed", "state-ttl-changed"})
"""Rules that ``check`` and ``gate`` both report: one thing, seen in two revisions or in a savepoint. One page each."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """Something that ``gate`` reports: a refusal of Flink's, or what it does without a message."""

    slug: str
    title: str
    refusal: bool


@cache
def gate_rules() -> tuple[GateRule, ...]:
    """Everything that ``gate`` can report, refusals first, each group in Flink's order."""
    refusals = tuple(rule.value for rule in RestoreRule)
    slugs = dict.fromkeys((*refusals, *(rule.value for rule in WarningRule)))
    return tuple(GateRule(slug, _title(slug), slug in refusals) for slug in slugs)


def _title(slug: str) -> str:
    if slug in SHARED:
        return rule_named(slug).title
    return _page("gate", slug).split("\n\n", 2)[1].replace("\n", " ").removesuffix(".")


def rule_named(slug: str) -> Rule:
    """The rule with a slug. Raises UsageError that says what there is."""
    for rule in all_rules():
        if rule.slug == slug:
            return rule
    if slug in RETIRED:
        raise UsageError(f"the rule '{slug}' was retired: CHANGELOG.md says what reports its losses")
    known = [*(rule.slug for rule in all_rules()), *(rule.slug for rule in gate_rules())]
    hint = did_you_mean(slug, known) or "; see: savepoint-checker rules"
    raise UsageError(f"there is no rule '{slug}'{hint}")


def meets_a_rule(pattern: str, where: str) -> None:
    """Raises UsageError for a glob of slugs that silences nothing, ever: no rule of ``check`` or ``gate`` has such."""
    slugs = (*(rule.slug for rule in all_rules()), *(rule.slug for rule in gate_rules()))
    if any(fnmatchcase(slug, pattern) for slug in slugs):
        return
    try:
        rule_named(pattern)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def rule_page(slug: str) -> str:
    """The page of a rule of ``check`` or ``gate``, as Markdown. Raises UsageError for a slug that names none."""
    if slug not in SHARED and any(rule.slug == slug for rule in gate_rules()):
        return _page("gate", slug)
    return _page("check", rule_named(slug).slug)


def _page(package: str, slug: str) -> str:
    return (files(f"checker.rules.{package}") / f"{slug.replace('-', '_')}.md").read_text("utf-8")


def run_rules(context: RuleContext, severities: Mapping[str, Severity | None] | None = None) -> tuple[Finding, ...]:
    """The findings of all rules in one comparison, most severe first, then by rule and operator.

    ``severities`` overrides the default of a rule, None switches it off.
    """
    found: dict[tuple[str, str], Finding] = {}
    for rule in all_rules():
        severity = (severities or {}).get(rule.slug, rule.severity)
        if severity is None:
            continue
        for hit in rule.find(context):
            finding = finding_of(rule, severity, context.pipeline, hit)
            found.setdefault((finding.rule, finding.operator_key), finding)
    return tuple(sorted(_together(found.values()), key=lambda f: (-f.severity.rank, f.rule, f.operator_key)))


def _together(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for what one place, which is no operator's own, does alike to several operators."""
    for first, *others in gathered((_shared(finding), finding) for finding in findings).values():
        more = (side for f in others for side in f.sides)
        shown = dict.fromkeys(e for f in (first, *others) for e in f.evidence)
        yield replace(first, followers=(*first.followers, *more), evidence=tuple(shown)) if others else first


def _shared(finding: Finding) -> object:
    side = finding.side
    if finding.location is None or side is None or finding.location in (side.location, side.uid_location):
        return object()
    return (finding.rule, finding.severity, finding.location, finding.repair)
