"""What readers ask of a revision, written down, so that an answer holds wherever the files it rests on are the same.

In: the files of a revision. Out: answers, with what they rest on: the content of single files (``content_facts``),
questions about all files (``listing``), and all that was asked in the course of an answer (``consulted``).
``remembered`` uses an answer again, in this process and from the cache. Called by all readers and by ``workflows``.
"""
