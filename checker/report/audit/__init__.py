"""The report of ``audit``.

In: the document of ``workflows.audit.report``. Out: text, Markdown, or one page with a timeline.

Called through ``report.formats``.
"""
