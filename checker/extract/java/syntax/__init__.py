"""Java source as syntax trees and declarations.

In: the text of a file. Out: its syntax tree, classes, methods and fields, and an index that finds a class by name.

Called by discovery and by the interpreter.
"""
