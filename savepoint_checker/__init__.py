"""The library under the name of its distribution: what ``checker.api`` lists, and nothing else."""

from checker.api import *  # noqa: F403
from checker.api import __all__ as __all__
