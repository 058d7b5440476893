"""Schemas that generated classes come from: ``.avsc`` and ``.avpr`` files of Avro, ``.proto`` files of Protobuf.

In: the paths of one revision and a reader of files. Out, by the name of a generated class: the schema as JSON with all
types that it names inside; ``compare.fit`` knows how these evolve. Called by the readers of both languages.
"""
