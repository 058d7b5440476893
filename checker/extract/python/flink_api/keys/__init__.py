"""What key selectors of PyFlink compute, as texts that differ wherever an edit may give elements other keys.

In: a selector as the script holds it, and the stream it is for. Out: a text, or an Unknown. Called by ``key_by``.
"""
