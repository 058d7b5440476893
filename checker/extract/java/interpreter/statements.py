"""Executes statements: one function per node type of the grammar."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from checker.extract.java.interpreter import assignments, classes_of_values, loops, names, objects
from checker.extract.java.machine import exceptions
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import (
    BreakSignal,
    ContinueSignal,
    ReturnSignal,
    Signal,
    ThrowSignal,
    YieldSignal,
)
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ExternalObject,
    Frame,
    Instance,
    Opaque,
    Value,
    default_value,
)
from checker.extract.java.syntax.declarations import ClassDecl, declare
from checker.extract.java.syntax.nodes import is_log
from checker.extract.java.syntax.tree import Node, NodeKind, children, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.extract.java_logs import shows
from checker.model.unknowns import Cause, Unknown


def broken(run: Run, node: Node, frame: Frame) -> None:
    """Source that does not parse inside of a method that runs: whatever stands there is unknown."""
    from checker.extract.java.flink_api import unknowns

    unknown = run.unknown("the source does not parse here", Cause.SYNTAX, Site(node, frame))
    unknowns.everything(run, unknown, Site(node, frame))


def _local(run: Run, node: Node, frame: Frame) -> None:
    written = type_ref(field(node, "type"))
    for child in children(node):
        if child.type != "variable_declarator":
            continue
        name = text(field(child, "name"))
        ref = written.with_dimensions(child)
        source = field(child, "value")
        value = assignments.initial(run, source, ref, frame) if source is not None else default_value(ref)
        names.declare(run, name, ref, value, frame)


def _expression(run: Run, node: Node, frame: Frame) -> None:
    for child in children(node):
        if child.type == "switch_expression":
            loops.switch(run, child, frame, expression=False)
        else:
            run.interpreter.evaluate(child, frame)


def _if(run: Run, node: Node, frame: Frame) -> None:
    outer = frame.inner()
    current: Node | None = node
    # else-if chains are walked in a loop: they can be long
    while current is not None and current.type == "if_statement":
        test = field(current, "condition") or current
        condition = run.interpreter.evaluate(test, outer)
        known = run.truth(condition)
        then = partial(_side, run, field(current, "consequence"), outer)
        current = field(current, "alternative")
        if known is None:
            label = " ".join(text(test).removeprefix("(").removesuffix(")").split())
            run.branch(condition, then, partial(_side, run, current, outer), label[:120], test.id)
        elif known:
            then()
        if known is not False:
            return
    _side(run, current, outer)


def _side(run: Run, statement: Node | None, frame: Frame) -> Value:
    """Run one side of a condition, if there is one."""
    if statement is not None:
        run.interpreter.execute(statement, frame.inner())
    return NULL


def _ended_with(signal: Callable[[Value], Signal], run: Run, node: Node, frame: Frame) -> None:
    """``return``, ``throw`` and ``yield`` with a value."""
    inner = children(node)
    raise signal(run.interpreter.evaluate(inner[0], frame) if inner else NULL)


def _jump(signal: Callable[[str], Signal], run: Run, node: Node, frame: Frame) -> None:
    """``break`` and ``continue``, to a label."""
    label = children(node)
    raise signal(text(label[0]) if label else "")


def _loop_statement(run: Run, node: Node, frame: Frame) -> None:
    loops.LOOPS[node.type](run, node, frame, "")


def _labeled(run: Run, node: Node, frame: Frame) -> None:
    label, body = children(node)[0], children(node)[-1]
    name = text(label)
    try:
        if body.type in loops.LOOPS:
            loops.LOOPS[body.type](run, body, frame, name)
        else:
            run.interpreter.execute(body, frame)
    except BreakSignal as signal:
        if signal.label != name:
            raise


# -- try -----------------------------------------------------------------------------------------------------------


_LEAVING = frozenset({"return_statement", "break_statement", "continue_statement", "yield_statement"})


def _try(run: Run, node: Node, frame: Frame) -> None:
    """In ``main``, what a clause does is one way of a choice, as it is in a method, unless the block may be left."""
    if run.following is not None or run.region_mark is not None or any(n.type in _LEAVING for n in walk(node)):
        _tried(run, node, frame)
    else:
        run.region(node.id, partial(_tried, run, node, frame))


def _tried(run: Run, node: Node, frame: Frame) -> Value:
    inner = frame.inner()
    clauses = [child for child in children(node) if child.type == "catch_clause"]
    final = next((child for child in children(node) if child.type == "finally_clause"), None)
    closes = final is not None or field(node, "resources") is not None
    goes_on = closes or not all(_only_ends(clause, node, frame) for clause in clauses)
    run.catching += goes_on and bool(clauses)
    ended: Signal | None = None
    try:
        _guarded(run, node, inner)
    except _OF_JAVA as signal:
        ended = signal
    finally:
        run.catching -= goes_on and bool(clauses)
    if run.following is not None and not isinstance(ended, ThrowSignal):
        _may_catch(run, clauses, frame)
    if isinstance(ended, ThrowSignal):
        try:
            _catch(run, ended, clauses, frame)
            ended = None
        except _OF_JAVA as signal:
            ended = signal
    if final is not None:
        loops.block(run, children(final)[-1], frame)
    if ended is not None:
        raise ended
    return NULL


_EXIT = "System.exit("


def _only_ends(clause: Node, node: Node, frame: Frame) -> bool:
    """Whether a clause of a ``try`` does nothing but log and end the program, or throw on: also one at main's end."""
    body = field(clause, "body")
    done = [] if body is None else list(children(body))
    if done and (done[-1].type == "throw_statement" or text(done[-1]).startswith(_EXIT)):
        calls = (n for n in walk(done.pop()) if n.type == "method_invocation" and not text(n).startswith(_EXIT))
        if not all(shows(text(field(call, "name"))) for call in calls):
            return False
    elif not _ends_main(node, frame):
        return False
    return all(is_log(statement) for statement in done)


def _ends_main(node: Node, frame: Frame) -> bool:
    """Whether a statement is the last one of the program."""
    around = node.parent
    method = None if around is None else around.parent
    return (
        around is not None
        and method is not None
        and children(around)[-1] is node
        and method.type == "method_declaration"
        and text(field(method, "name")) == "main"
        and len(frame.path) <= 1
    )


def _may_catch(run: Run, clauses: Sequence[Node], frame: Frame) -> None:
    """What a function does where something throws that is not followed counts as a way that it may take."""
    for clause in clauses:
        site = Site(clause, frame)
        condition = run.opaque("cannot tell whether an exception is caught", Cause.BRANCH, site)

        parameter = next((child for child in children(clause) if child.type == "catch_formal_parameter"), clause)
        caught = partial(_run_clause, run, clause, parameter, TypeRef("Exception"), condition, frame)
        with suppress(ThrowSignal):
            run.branch(condition, caught, lambda: NULL, "an exception is caught", clause.id)


def _run_clause(run: Run, clause: Node, parameter: Node, ref: TypeRef, value: Value, frame: Frame) -> Value:
    """Run the body of a ``catch`` with the exception that it takes."""
    inner = frame.inner()
    names.declare(run, text(field(parameter, "name")), ref, value, inner)
    body = field(clause, "body")
    if body is not None:
        loops.block(run, body, inner)
    return NULL


_OF_JAVA = (ThrowSignal, ReturnSignal, BreakSignal, ContinueSignal, YieldSignal)
"""How a block of Java ends before its end."""


def _guarded(run: Run, node: Node, frame: Frame) -> None:
    """The resources and the body of ``try``; resources are closed in reverse order, however the body ends."""
    opened: list[Value] = []
    ended: Signal | None = None
    try:
        resources = field(node, "resources")
        for resource in children(resources) if resources is not None else ():
            opened.append(_resource(run, resource, frame))  # noqa: PERF401 - kept where the next one throws
        body = field(node, "body")
        if body is not None:
            loops.block(run, body, frame)
    except _OF_JAVA as signal:
        ended = signal
    for value in reversed(opened):
        if not isinstance(value, Instance | Choice) and not (
            isinstance(value, Opaque) and isinstance(value.type, ClassDecl)
        ):
            continue
        try:
            run.interpreter.invoke(value, Call("close", [], Site(node, frame)))
        except ThrowSignal as signal:
            ended = ended if isinstance(ended, ThrowSignal) else signal
    if ended is not None:
        raise ended


def _resource(run: Run, node: Node, frame: Frame) -> Value:
    """Declare a resource; one that is declared before is only named."""
    name, value = field(node, "name"), field(node, "value")
    if name is None or value is None:
        named = children(node)
        return run.interpreter.evaluate(named[0] if named else node, frame)
    ref = type_ref(field(node, "type"))
    made = assignments.initial(run, value, ref, frame)
    names.declare(run, text(name), ref, made, frame)
    return made


def _catch(run: Run, signal: ThrowSignal, clauses: Sequence[Node], frame: Frame) -> None:
    for clause in clauses:
        parameter = next((child for child in children(clause) if child.type == "catch_formal_parameter"), None)
        if parameter is None:
            continue
        types = next((child for child in children(parameter) if child.type == "catch_type"), None)
        refs = [type_ref(child) for child in children(types)] if types is not None else []
        if any(_catches(run, signal.value, ref, frame) for ref in refs):
            _run_clause(run, clause, parameter, refs[0], signal.value, frame)
            return
    raise signal


def _catches(run: Run, value: Value, ref: TypeRef, frame: Frame) -> bool:
    if isinstance(value, ExternalObject):
        verdicts = {exceptions.catches(name.rpartition(".")[2], ref.simple) for name in value.type.candidates}
        if verdicts == {True, False}:
            unknown = Unknown(f"cannot tell whether an exception is a {ref.simple}", Cause.BRANCH)
            return run.decide(Opaque(unknown, f"exception#{run.number(value)} is {ref.simple}"))
        known = verdicts.pop() if len(verdicts) == 1 else None
        if known is None and all(exceptions.of_jdk(name.rpartition(".")[2]) for name in value.type.candidates):
            known = False if isinstance(run.index.resolve_type(ref, frame.decl), ClassDecl) else None
        if known is not None:
            return known
    if isinstance(value, Instance) and not isinstance(run.index.resolve_type(ref, frame.decl), ClassDecl):
        above = [a.simple for a in run.index.ancestors(value.decl) if not isinstance(a, ClassDecl)]
        known = next((exceptions.catches(name, ref.simple) for name in above if exceptions.of_jdk(name)), None)
        if known is not None:
            return known
    if ref.simple in ("Exception", "Throwable", "RuntimeException"):
        return True
    verdict = classes_of_values.instance_of(run, value, ref, frame.decl)
    return verdict is not False


def _synchronized(run: Run, node: Node, frame: Frame) -> None:
    body = field(node, "body")
    if body is not None:
        loops.block(run, body, frame)


def _local_class(run: Run, node: Node, frame: Frame) -> None:
    decl = declare(frame.decl.unit, node, frame.decl.package, frame.decl, local=True)
    if decl is not None and decl.name not in frame.decl.local_types:
        frame.decl.local_types[decl.name] = decl


HANDLERS: Final[dict[NodeKind, Callable[[Run, Node, Frame], None]]] = {
    "block": loops.block,
    "constructor_body": loops.block,
    "local_variable_declaration": _local,
    "expression_statement": _expression,
    "if_statement": _if,
    "return_statement": partial(_ended_with, ReturnSignal),
    "throw_statement": partial(_ended_with, ThrowSignal),
    "break_statement": partial(_jump, BreakSignal),
    "continue_statement": partial(_jump, ContinueSignal),
    "yield_statement": partial(_ended_with, YieldSignal),
    "labeled_statement": _labeled,
    **dict.fromkeys(("enhanced_for_statement", "for_statement", "while_statement", "do_statement"), _loop_statement),
    "switch_expression": lambda run, node, frame: loops.switch(run, node, frame, expression=False),
    "try_statement": _try,
    "try_with_resources_statement": _try,
    "synchronized_statement": _synchronized,
    "class_declaration": _local_class,
    "interface_declaration": _local_class,
    "enum_declaration": _local_class,
    "record_declaration": _local_class,
    "explicit_constructor_invocation": objects.explicit_constructor,
    "assert_statement": lambda run, node, frame: None,
}
"""Statements by the name of their node."""
