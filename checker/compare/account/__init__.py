"""Explains every edit between two revisions of a pipeline's program.

In: the code that both revisions' programs can reach (``ProgramCode``) and what was read of them (``Topology``). Out: an
``Account``. Called where both sides of a pipeline are at hand: by checks and audits.
"""
