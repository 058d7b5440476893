"""States of user functions: the methods that Flink calls are followed on the object that the program made.

In: a function's object. Out: ``StateDescriptor`` records, or why they are not known. Called by ``function_facts``.
"""
