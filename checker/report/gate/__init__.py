"""The reports of ``gate`` and ``savepoint``.

In: attempts to restore and what a savepoint holds. Out: the canonical document (``document``), and from it text,
Markdown and HTML.

``document`` is called by ``workflows.gate``, the formats through ``report.formats``.
"""
