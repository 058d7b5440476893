"""An unsaved file → what an editor shows beside it.

In: the contents of open files and the repository around them. Out: operator ids and uids by line, findings against
``HEAD``, causes, and repairs as edits. ``looking`` judges the pipelines that a file can reach and says what belongs to
which line, ``server`` speaks the Language Server Protocol. Called by ``checker.commands.while_editing``.
"""
