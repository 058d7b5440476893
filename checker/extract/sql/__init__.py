"""Pipelines in SQL: scripts and compiled plans (``COMPILE PLAN``), which Flink's planner plans.

In: the files of a revision. Out: pipeline entries (``discover``).
``scripts`` finds them, ``planner`` plans them. Called by ``extract.registry``.
"""

from checker.extract import lazily

__getattr__ = lazily(discover="checker.extract.sql.scripts.discovery", extract="checker.extract.sql.scripts.discovery")
