"""Which of several elements a body returns or emits, where conditions decide on that."""

from __future__ import annotations

from collections.abc import Iterator, Set

from checker.extract.java.reached import element_calls as calls
from checker.extract.java.reached.branches import Choice, branches_of, branches_to, set_in, shown
from checker.extract.java.reached.scopes import Found, Scope
from checker.extract.java.reached.value_texts import ValueTexts
from checker.extract.java.syntax.tree import Node, text
from checker.extract.java.syntax.tree import field as part

Given = list[tuple[Node, frozenset[str]]]
"""Statements or calls, each with the texts of the elements that it gives."""


def returned(values: ValueTexts, found: Found, given: Given, scope: Scope) -> frozenset[str]:
    """What is returned, with the conditions that decide where that is not one and the same."""
    branches = [branches_of(node) for node, _ in given]
    all_texts = frozenset[str]().union(*(texts for _, texts in given))
    if len({texts for _, texts in given}) < 2 or None in branches:
        return all_texts
    deciding = {values.branch(found, branch, scope)[0] for around in branches for branch in around or ()}
    if deciding <= _absences(all_texts):
        return all_texts
    tree: Choice | str | None = None
    for (_, texts), around in reversed(list(zip(given, branches, strict=True))):  # the first that is met returns
        conditions = [values.branch(found, branch, scope) for branch in around or ()]
        tree = set_in(tree, conditions, " and ".join(sorted(texts)))
    return frozenset({shown(tree)})


def either(values: ValueTexts, found: Found, texts: Set[str], condition: Node | None, scope: Scope) -> set[str]:
    """The condition of an expression that gives one of several elements, where it has a part in which that is."""
    absent = values.condition(found, condition, scope)[0] in _absences(texts)
    return {values.text_of(found, condition, scope)} if len(texts) > 1 and not absent else set()


def _absences(texts: Set[str]) -> set[str]:
    """The conditions under which one of some elements is null: another is the default for it, however that is said."""
    return {f"({written} == null)" for written in texts}


def emitted(values: ValueTexts, found: Found, given: Given, scope: Scope) -> Iterator[str]:
    """What calls give, of elements that they emit with each condition in whose opposite branch another is emitted.

    What goes to a side output is none of these: which elements are put there says nothing of others' keys.
    """
    around = [branches_to(node) if texts and _emits(values, node, scope) else () for node, texts in given]
    for (_, texts), branches in zip(given, around, strict=True):
        others = {b for (_, theirs), of in zip(given, around, strict=True) if theirs != texts for b in of}
        deciding = [(branch, holds) for branch, holds in branches if (branch, not holds) in others]
        if not deciding:
            yield from texts
        else:
            conditions = sorted("{} is {}".format(*values.branch(found, branch, scope)) for branch in deciding)
            yield f"{' and '.join(sorted(texts))} if {' and '.join(conditions)}"


def _emits(values: ValueTexts, node: Node, scope: Scope) -> bool:
    """Whether a call gives elements to the main output, or gives away what does."""
    if calls.emits(node):
        return text(part(node, "name")) in calls.MAIN_OUTPUT
    given = (p.type.simple for m in values.callees(node, scope) for p in m.parameters if p.type is not None)
    return not calls.MAIN_EMITTERS.isdisjoint(given)
