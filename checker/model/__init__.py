"""The records that travel between packages: topology, graphs, comparison, findings, savepoint. No behaviour beyond
what a record says of itself; imports nothing of this project but ``errors`` and ``time_limits``. Used everywhere.
"""
