"""Files of the repository that a program's configuration library reads, as that library reads them.

In: calls of the library on resources of the class path. Out: values, or None where what the library would do can't be
known; the call is unknown then. Called by the interpreter's resolvers. Every model is compared with the library itself.
"""
