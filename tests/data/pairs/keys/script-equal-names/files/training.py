import argparse

NAMES = [name for name in ("a", "b")]

def build_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", default=1)
    return parser

def score(value):
    return value
