"""What a function keeps.

In: the class of a user function. Out: the states it registers, with names, types, time-to-live and how Flink
serializes their classes.

Called by ``extract.java.flink_api`` when a stream gets a function.
"""
