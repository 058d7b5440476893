"""What the interpreters of both languages share: ways through a program, memory with an undo log, the trace."""
