"""The output of ``ids``.

In: a translation. Out: stream graph, chains and operator ids as JSON or text.

Called by ``commands.ids``; other documents use its parts to name operators and places.
"""
