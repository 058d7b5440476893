"""The keys of streams: from a ``keyBy`` of the program to the type of the keys and what they are of an element.

Called by the readers of streams and operators; the results stand on transformations (``key``, ``key_type``).
"""
