"""The steps of ``audit``: plan the steps of a history, read stretches of it, judge every step, keep datasets, report.

In: ranges, tags, what-ifs or a fleet. Out: the document of an audit. Called by ``commands.audit`` and the engines.
"""
