"""Connectors of SQL tables as data: which operators and changelog each of them has."""
