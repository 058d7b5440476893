"""Java pipelines read from source, executing nothing: right, or openly unsure.

In: the files of a revision. Out: pipeline entries (``discover``) and topologies (``extract``). ``syntax`` parses,
``interpreter`` evaluates, ``library`` and ``flink_api`` say what calls do, ``state`` what functions keep,
``build_files`` which Flink is built with. Called by ``extract.registry``.
"""

from checker.extract.java.discovery import discover
from checker.extract.java.extraction import extract, reached_code

__all__ = ["discover", "extract", "reached_code"]
