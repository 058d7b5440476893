"""The catalogue of rules and their pages (``rules``, ``explain``)."""

import re
import sys
from pathlib import Path

from checker.engines.choice import choose_engine
from checker.errors import UsageError
from checker.model.nested import Json
from checker.report.check.text import render_text
from checker.report.presentable import terminal_of
from checker.rules.registry import all_rules, gate_rules, rule_page
from checker.workflows.check.comparing_revisions import plan_check, run_check

_FINGERPRINT = re.compile(r"[0-9a-f]{12}")


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


def explain(rule: str, repo: Path = Path("."), base: str | None = None, head: str = "HEAD") -> None:
    """Show a rule's page, or one finding of check with all that is known of it.

    \b
    savepoint-checker explain stateful-id-changed
    savepoint-checker explain 50f1e0e65b67 --base v1.0.0
    """
    slug = rule
    if _FINGERPRINT.fullmatch(rule):
        report = _only(rule, repo, base, head)
        print(render_text(report, terminal_of(sys.stdout), verbose=True))
        slug = report["pipelines"][0]["findings"][0]["rule"]
    page = rule_page(slug)
    if not terminal_of(sys.stdout).colour:
        print(page, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(page))


def _only(fingerprint: str, repo: Path, base: str | None, head: str) -> Json:
    """The report of a check with nothing but one finding. Raises UsageError where check finds no such thing."""
    run = choose_engine(None, master="local[*]", remote=None, verbose=False)
    report = run_check(plan_check(repo, base, head), run)
    for pipeline in report["pipelines"]:
        found = [finding for finding in pipeline["findings"] if finding["fingerprint"] == fingerprint]
        if found:
            return {**report, "pipelines": [{**pipeline, "findings": found[:1], "suppressed": []}], "notes": []}
    raise UsageError(f"check finds no {fingerprint} between these revisions; give the --base and --head that it had")
