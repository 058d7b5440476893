"""The report of ``check``.

In: comparison, findings and translations of each pipeline. Out: the canonical document (``document``), and from it
text, Markdown, HTML, SARIF, JUnit and annotations.

``document`` is called by ``workflows.check``, the formats through ``report.formats``.
"""
