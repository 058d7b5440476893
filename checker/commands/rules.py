"""``rules`` and ``explain``: the catalogue, and a rule's page."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from checker.errors import UsageError
from checker.report.vocabulary import terminal_of
from checker.rules.registry import SHARED, all_rules, gate_rules, rule_page

RulesFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")]
Slug = Annotated[str, typer.Argument(metavar="RULE", help="A rule's slug, as findings show it in brackets.")]


def rules(output_format: RulesFormat = "text") -> None:
    """List every rule: slug, severity, what it sees.

    Severities are changed in the configuration: [rules] then RULE = "off", "info", "warning" or "error".
    """
    if output_format not in ("text", "json"):
        raise UsageError(f"--format {output_format}: rules prints text or json")
    if output_format == "json":
        listed = [
            {
                "rule": r.slug,
                "title": r.title,
                "severity": r.severity.value,
                "category": r.category.value,
                "since": r.since,
            }
            for r in all_rules()
        ]
        listed += [
            {"rule": r.slug, "title": r.title, "category": "gate-refusal" if r.refusal else "gate-warning"}
            for r in gate_rules()
            if r.slug not in SHARED
        ]
        print(json.dumps(listed, indent=2))
        return
    width = max(len(slug) for slug in (*(r.slug for r in all_rules()), *(r.slug for r in gate_rules())))
    for category in sorted({rule.category for rule in all_rules()}):
        print(f"{category}:")
        for rule in all_rules():
            if rule.category is category:
                print(f"  {rule.slug:<{width}}  {rule.severity:<7}  {rule.title}")
    for refusal, group in ((True, "gate, what Flink refuses"), (False, "gate, what it does without a message")):
        print(f"{group}:")
        for gate_rule in gate_rules():
            if gate_rule.refusal is refusal:
                print(f"  {gate_rule.slug:<{width}}  {gate_rule.title}")


def explain(rule: Slug) -> None:
    """Show a rule's page: what it sees, what happens in production, an example, and the repair.

    \b
    savepoint-checker explain stateful-id-changed
    """
    page = rule_page(rule)
    if not terminal_of(sys.stdout).colour:
        print(page, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))
