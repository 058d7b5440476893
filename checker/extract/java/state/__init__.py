"""How Flink writes what a function keeps.

In: types and classes in state. Out: whether each is written as a POJO, by Kryo or by a serializer that is set, the
shapes of classes, and digests of the code that decides on them. Which states there are is read in
``extract.java.flink_api.states``.

Called by ``extract.java.flink_api`` when a stream gets a function.
"""
