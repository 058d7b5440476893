"""PyFlink scripts read from source: nothing is executed, and what PyFlink fuses is fused here as well.

In: the files of a revision. Out: pipeline entries (``discover``) and topologies (``extract``). Called by
``extract.registry``.
"""

from checker.extract import lazily

__getattr__ = lazily(
    broken_line="checker.extract.python.plain_code",
    discover="checker.extract.python.discovery",
    extract="checker.extract.python.extraction",
    reached_code="checker.extract.python.extraction",
)
