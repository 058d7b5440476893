"""The DataStream API as both readers know it.

In: what a Java program or a PyFlink script declares on each way that was followed. Out: one ``Topology`` of all ways.
Called by the Java and the PyFlink reader; knows neither.
"""
