"""The code that a PyFlink script can reach, declaration by declaration, with what the interpreter followed of it.

In: the files of a revision, a pipeline's script and the trace of its reading. Out: ``ProgramCode``, from which
``checker.compare.account`` explains the edits between two revisions. Called by ``workflows.check`` through the
registry.
"""
