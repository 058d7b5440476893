"""Edits that keep state: planned on topologies, verified by computing everything again, written into source."""

from checker.repair.edits import Edit, Field, edited
from checker.repair.plan import Repair, RepairKind, edits_of, plan_repairs

__all__ = ["Edit", "Field", "Repair", "RepairKind", "edited", "edits_of", "plan_repairs"]
