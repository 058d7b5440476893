from . import registry
from .constants import PREFIX

__all__ = ["PREFIX", "registry"]
