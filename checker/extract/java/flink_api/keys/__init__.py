"""The keys of streams: from a ``keyBy`` of the program to the type of the keys and what they are of an element.

In: a key selector. Out: ``key`` (a plain part as a text, else code with a digest of all that it calls), ``key_type``
and ``key_classes`` of a transformation. Called by the readers of streams and operators.
"""
