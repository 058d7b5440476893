"""Where the steps of a workflow run.

In: a plan of ``checker.workflows``. Out: its answers, the same from every engine.

``choice`` runs them in this process or decides on Spark, ``spark`` on a cluster or a local session. Called by
``checker.commands``.
"""
