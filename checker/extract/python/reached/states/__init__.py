"""What functions of scripts do with their states: the code of each is followed on every way through it.

In: the declarations of a function and its helpers. Out: its handles (``model.state_handles``) with their states, and
what is read from, written to and erased in each. Called by ``extract.python.reached``.
"""
