"""Command lines that libraries parse: every option is a named argument of the program.

In: options as the program declares them, and the program's arguments. Out: the values of options, each unknown by its
name where the arguments are not known. Called by the interpreter. Each model is compared with its library.
"""
