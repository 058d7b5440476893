"""Documents → text for people and machines.

In: the canonical document of a command (plain JSON). Out: one format of it.

``formats`` lists every format of every report, ``presentable`` has the colours of verdicts, ``wording`` the sentences
of all formats, ``pages`` the shell of HTML. A package per command. Called by ``checker.commands``.
"""
