"""The DataStream API as both readers know it: what a program declares with it, and the topology that comes of that.

Imported by the readers of Java and Python; knows neither.
"""
