"""Functions of the user: what the planner needs of them, from their source.

In: the files of a revision and the names of classes. Out: ``FunctionSource`` records, which the planner's process turns
into classes with the declared signatures and without bodies. Called by ``sql.scripts`` and by readers of programs.
"""
