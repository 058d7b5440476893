"""The rules of ``check``.

In: both revisions of a pipeline and their comparison (``RuleContext``). Out: hits.

One module per rule, found by its file name, with a page beside it. Called by ``rules.registry``.
"""
