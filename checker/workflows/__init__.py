"""The steps of each command, in order, whatever the engine.

In: options of a command. Out: the document that a report renders.

A package per command; files beside them are used by several. Called by ``checker.commands`` and by the engines.
"""
