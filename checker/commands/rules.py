"""The catalogue of rules and their pages (``rules``, ``explain``)."""

import sys

from checker.report.presentable import terminal_of
from checker.rules.registry import all_rules, gate_rules, rule_page


def rules() -> None:
    """List every rule: slug, severity, what it sees.

    Severities are changed in the configuration: [rules] then RULE = "off", "info", "warning" or "error".
    """
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


def explain(rule: str) -> None:
    """Show a rule's page.

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
