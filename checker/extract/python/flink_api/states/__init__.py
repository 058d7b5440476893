"""State of functions in Python: descriptors, types, and what a function registers.

In: a function, its class and its arguments. Out: ``StateDescriptor`` records. Called by the calls of streams.
"""
