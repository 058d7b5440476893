"""What a person types: one module per command of ``savepoint-checker``.

In: options. Out: a report on stdout or in files, and the exit code. Called by ``checker.cli``; the work is done by
``checker.workflows``.
"""
