"""Pipelines in SQL: scripts and compiled plans (``COMPILE PLAN``), which Flink's planner plans.

In: the files of a revision. Out: pipeline entries (``discover``).
``compiled_plans`` and ``scripts`` find them, ``planner`` plans them. Called by ``extract.registry``.
"""

from checker.extract import lazily

__getattr__ = lazily(discover="checker.extract.sql.compiled_plans", extract="checker.extract.sql.compiled_plans")
