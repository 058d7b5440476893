"""Evaluates Java without a JVM.

In: a main method and the index of classes. Out: the ways that the program can take, with values that are known or
say why they are not.

``HANDLERS`` of ``statements`` and ``expressions`` say who evaluates which kind of node. ``resolvers`` lists who answers
a call; what none of them answers ends in ``unknown_calls``. Called by ``extract.java.program``.
"""
