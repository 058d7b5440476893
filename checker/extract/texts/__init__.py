"""The texts of a repository, whatever they are about: YAML and JSON read within bounds, and texts compared.

In: texts. Out: plain values, and whether two texts say the same. Called by readers and by ``workflows``.
"""
