"""Where the steps of a workflow run.

In: a plan of ``checker.workflows``. Out: its answers, the same from every engine.

``in_process`` and ``audit_in_process`` run in this process, ``spark`` on a cluster or a local session. Called by
``checker.commands``.
"""
