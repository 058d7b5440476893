"""Code that no reader follows: which files it may use, and which values it may change.

In: the files of a revision, and where a program starts. Out: the files that it may use by name (``used_by_name``), that
a container or a framework may find (``found_beside``), all of these without what is built apart (``program_files``);
unknowns that carry a digest of the code behind them (``unread_code``). Called by readers and by ``workflows.check``.
"""
