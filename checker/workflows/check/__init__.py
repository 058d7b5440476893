"""The steps of ``check``: resolve revisions, find pipelines, read, translate, compare, judge, apply policy.

In: two revisions. Out: the document of a check. ``comparing_revisions`` plans and puts together, ``stages`` does
one pipeline. Called by ``commands.check``, ``workflows.hooked`` and the engines.
"""
