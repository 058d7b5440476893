"""Java pipelines read from source, executing nothing: right, or openly unsure.

In: the files of a revision. Out: pipeline entries (``discover``) and topologies (``extract``). ``syntax`` parses,
``machine`` holds what is computed with, ``interpreter`` evaluates, ``library`` and ``flink_api`` say what calls do,
``state`` what functions keep, ``build_files`` which Flink is built with. ``SourceUnit`` says where a file is
broken. Called by ``extract.registry``.
"""

from checker.extract import lazily

__getattr__ = lazily(
    discover="checker.extract.java.discovery",
    extract="checker.extract.java.program",
    SourceUnit="checker.extract.java.syntax.parse",
    reached_code="checker.extract.java.reached.code",
)
