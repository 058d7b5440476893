"""The code that a Java program can reach, declaration by declaration, with what the interpreter followed of it.

In: the files of a revision, a pipeline's main class and the trace of its reading. Out: ``ProgramCode``, from which
``checker.compare.account`` explains the edits between two revisions. Called by ``workflows.check`` through the
registry.
"""
