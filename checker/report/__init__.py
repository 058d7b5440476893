"""Documents → text for people and machines.

In: the canonical document of a command (plain JSON). Out: one format of it.

``formats`` lists every format of every report, ``vocabulary`` the words and colours of verdicts, ``pages`` the
shell of HTML. A package per command. Called by ``checker.commands``; nothing here decides anything.
"""
