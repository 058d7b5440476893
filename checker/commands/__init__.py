"""One module a command of ``savepoint-checker``: parse, call, exit code."""
