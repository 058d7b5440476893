"""Edits that keep state: planned on topologies, verified by computing everything again, written into source.

In: both translations of a pipeline and their comparison. Out: repairs, and edits of text. Called by ``workflows.check``
for the advice in findings and by ``workflows.repairing``.
"""

from checker.repair.add_uids import plan_uids
from checker.repair.calls import TextEdit, apply_edits, unified_diff
from checker.repair.plan import plan_repairs
from checker.repair.repairs import Edit, Field, Repair, edited, edits_of
from checker.repair.writing import Written, write_edits

__all__ = [
    "Edit", "Field", "Repair", "TextEdit", "Written", "apply_edits", "edited", "edits_of", "plan_repairs",
    "plan_uids", "unified_diff", "write_edits",
]  # fmt: skip
