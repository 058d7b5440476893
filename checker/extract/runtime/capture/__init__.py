"""Runs a program up to graph creation on real Flink.

In: jars, main class and arguments. Out: the graphs that Flink built, as topologies.

The program runs in a supervised child process. Called by ``extract.runtime.extracting``.
"""
