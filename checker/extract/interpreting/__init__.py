"""What the interpreters of both languages share: ways through a program, memory with an undo log, the trace.

In: the choices that a reader makes at conditions that are not known, and what it writes. Out: every way that was
followed, merged or apart, and which code the reading rests on. Called by the Java and the PyFlink reader.
"""
