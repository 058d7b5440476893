"""Objects that a library fills as annotations say: values of members, and texts of annotations."""

from __future__ import annotations

from checker.extract.java.interpreter import names
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, Frame, Instance, Scope, Value
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, children


def set_member(
    run: Run, filled: Instance, owner: ClassDecl, field: str | None, setter: MethodDecl | None, value: Value, call: Call
) -> None:
    """Call the setter of a member, or set its field where it has no setter."""
    if setter is not None:
        run.interpreter.call_method(setter, filled, call.having(name=setter.name, arguments=[value]))
    elif field is not None:
        names.store_field(run, filled, field, value, Frame(owner, filled, Scope()), owner)


def annotation_texts(run: Run, element: Node | None, owner: ClassDecl) -> tuple[str, ...]:
    """The constants that an element of an annotation lists, as texts."""
    if element is None:
        return ()
    parts = children(element) if element.type == "element_value_array_initializer" else (element,)
    values = [run.interpreter.evaluate(part, Frame(owner, None, Scope())) for part in parts]
    return tuple(value.text for value in values if isinstance(value, Constant))
