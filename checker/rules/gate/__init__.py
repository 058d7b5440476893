"""The pages of what ``gate`` reports: one per refusal (``RestoreRule``) and silent effect (``WarningRule``).

The rules themselves are Flink's and live in ``checker.compare.restore``. ``rules.registry`` finds the pages by slug for
``rules``, ``explain`` and the reports.
"""
