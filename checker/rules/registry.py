"""All rules, found by file: a module of this package with a ``RULE``, and beside it the page of the same name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from checker.errors import UsageError
from checker.model.findings import Finding, Severity
from checker.rules.base import Rule, RuleContext, finding_of

RETIRED: Mapping[str, str] = {}
"""Slugs of rules that are gone, and why: they are never given to another rule."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by slug."""
    package = importlib.import_module("checker.rules.check")
    rules: list[Rule] = []
    for module in pkgutil.iter_modules(package.__path__):
        rule = getattr(importlib.import_module(f"checker.rules.check.{module.name}"), "RULE", None)
        if isinstance(rule, Rule):
            rules.append(rule)
    return tuple(sorted(rules, key=lambda r: r.slug))


def rule_named(slug: str) -> Rule:
    """The rule with a slug. Raises UsageError that says what there is."""
    for rule in all_rules():
        if rule.slug == slug:
            return rule
    if slug in RETIRED:
        raise UsageError(f"the rule '{slug}' was retired: {RETIRED[slug]}")
    import difflib

    near = difflib.get_close_matches(slug, [r.slug for r in all_rules()], n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "; see: savepoint-checker rules"
    raise UsageError(f"there is no rule '{slug}'{hint}")


def rule_page(slug: str) -> str:
    """The page of a rule, as Markdown. Raises UsageError for a slug that names none."""
    rule = rule_named(slug)
    return (files("checker.rules.check") / f"{rule.slug.replace('-', '_')}.md").read_text("utf-8")


def run_rules(
    context: RuleContext, severities: Mapping[str, Severity | None] | None = None, select: Iterable[str] | None = None
) -> tuple[Finding, ...]:
    """What all rules see in one comparison, gravest first, then by rule and operator.

    ``severities`` overrides the default of a rule, None switches it off. ``select`` limits the run to some slugs.
    """
    chosen = None if select is None else {rule_named(slug).slug for slug in select}
    found: dict[tuple[str, str], Finding] = {}
    for rule in all_rules():
        severity = (severities or {}).get(rule.slug, rule.severity)
        if severity is None or (chosen is not None and rule.slug not in chosen):
            continue
        for hit in rule.find(context):
            finding = finding_of(rule, severity, context.pipeline, hit)
            found.setdefault((finding.rule, finding.operator_key), finding)
    return tuple(sorted(found.values(), key=lambda f: (-f.severity.rank, f.rule, f.operator_key)))
