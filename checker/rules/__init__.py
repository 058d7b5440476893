"""The rule catalogue: what is reported about a comparison, one file and one page per rule.

In: a ``RuleContext``. Out: findings with the severities that the configuration gives. Called by ``workflows.check``.
"""

from checker.rules.base import Category, Revision, Rule, RuleContext
from checker.rules.registry import all_rules, rule_named, rule_page, run_rules

__all__ = ["Category", "Revision", "Rule", "RuleContext", "all_rules", "rule_named", "rule_page", "run_rules"]
