"""Models of Java's class library.

In: a call on strings, collections, optionals, files or parameters. Out: the value that a JVM computes, or an
unknown value.

Called by the interpreter for receivers that are neither Flink's nor the repository's.
"""
