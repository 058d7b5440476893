"""Runs a module with the module path that is given: ``python -I isolated.py PATH MODULE ARGUMENT...``.

Stands alone. ``-I`` keeps the current folder, the user's folder and all variables out; ``PATH`` brings back what the
process that starts this one was started with.
"""

import os
import runpy
import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[1].split(os.pathsep)
    sys.argv[:] = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
