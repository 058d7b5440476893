"""Schemas that generated classes come from: ``.avsc`` and ``.avpr`` files of Avro, ``.proto`` files of Protobuf.

What comes in are the paths of one revision and a reader of files. What goes out, by the name of a generated class, is
the schema as JSON with all types that it names inside; ``compare.fit`` knows how these evolve.
"""
