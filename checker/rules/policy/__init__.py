"""What a team accepts.

In: findings, and suppressions from the configuration, comments and the baseline. Out: what is kept and what is
silenced, each with its reason.

Called by ``workflows.check``.
"""
