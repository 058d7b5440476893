"""Models of Python's built-ins and standard library.

In: a call. Out: the value that Python computes, or an unknown value.

Called by the PyFlink interpreter.
"""
