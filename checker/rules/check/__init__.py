"""The rules of ``check``.

In: both revisions of a pipeline and their comparison (``RuleContext``). Out: hits.

One module per family of rules, which are found by their type. Each has a page beside it, called like the rule.
Called by ``rules.registry``.
"""
