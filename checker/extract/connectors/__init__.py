"""What the connectors of Flink's ecosystem build, as TOML tables.

In: a class or call by name. Out: kind, name, states and operators of what it makes.

One file per family of connectors, read by ``tables``. Called by the Java and the PyFlink reader.
"""
