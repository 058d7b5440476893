"""Pipelines in SQL: scripts, which Flink's planner plans, and compiled plans (``COMPILE PLAN``), read as documents.

In: the files of a revision. Out: pipeline entries (``discover``) and, of a compiled plan, its topology (``extract``).
``compiled_plans`` reads plans, ``scripts`` finds scripts, ``planner`` plans them. Called by ``extract.registry``.
"""

from checker.extract import lazily

__getattr__ = lazily(discover="checker.extract.sql.compiled_plans", extract="checker.extract.sql.compiled_plans")
