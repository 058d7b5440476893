"""Calls of Flink's API.

In: a call record of the interpreter with its receiver. Out: transformations, streams and settings of the job that
the program declares.

``datastream.assembling`` makes the ``Topology`` of them. Called by the interpreter for receivers that are Flink's.
"""
