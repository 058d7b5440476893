"""Evaluates Java without a JVM.

In: a main method and the index of classes. Out: the ways that the program can take, with values that are known or
say why they are not.

Statements and expressions are dispatched by node type. What no model resolves is an unknown call. Called by
``extract.java.program``.
"""
