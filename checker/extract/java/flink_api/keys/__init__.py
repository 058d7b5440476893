"""The keys of streams: from a ``keyBy`` of the program to the type of the keys and what they are of an element.

In: a key selector. Out: ``key`` (a text in normal form), ``key_type`` and ``key_classes`` of a transformation.
Called by the readers of streams and operators.
"""
