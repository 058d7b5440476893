"""Pipelines in SQL: scripts, which Flink's planner plans, and compiled plans (``COMPILE PLAN``), read as documents.

In: the files of a revision. Out: pipeline entries (``discover``) and, of a compiled plan, its topology (``extract``).
``compiled_plans`` reads plans, ``scripts`` finds scripts, ``planner`` plans them. Called by ``extract.registry``.
"""

from checker.model.pipelines import Discovery, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


def discover(files: SourceFiles) -> Discovery:
    """The scripts and compiled plans of a revision. A broken plan is a note."""
    if not any(path.endswith((".sql", ".json", ".yaml", ".yml")) for path in files.paths()):
        return Discovery(entries=())
    from checker.extract.sql import compiled_plans

    return compiled_plans.discover(files)


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The operators of one compiled plan (see ``compiled_plans.extract``)."""
    from checker.extract.sql import compiled_plans

    return compiled_plans.extract(files, entry)
