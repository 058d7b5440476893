"""Loops: unrolled over what is known, one unknown transformation where it is not known how often they run.

``switch`` as statement and as expression.
"""

from collections.abc import Callable, Sequence
from functools import partial

from checker.extract.java.interpreter import classes_of_values, names
from checker.extract.java.interpreter.unknown_loops import unknown_loop
from checker.extract.java.library.contents import cause_of_order, rounds
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.exceptions import BreakSignal, ContinueSignal, LimitSignal, YieldSignal, throw
from checker.extract.java.machine.run_state import MAX_LOOP
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    Constant,
    Frame,
    Instance,
    Opaque,
    Value,
    boolean,
    is_null,
    unknown_of,
)
from checker.extract.java.syntax.tree import Node, NodeKind, children, field, text
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.unknowns import Cause, Unknown


def _body_round(run: Run, body: Node | None, frame: Frame, label: str) -> bool:
    """One round of a loop; False when it breaks out."""
    try:
        if body is not None:
            run.interpreter.execute(body, frame.inner())
    except BreakSignal as signal:
        if signal.label in ("", label):
            return False
        raise
    except ContinueSignal as signal:
        if signal.label not in ("", label):
            raise
    return True


def _for_each(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    source = run.settle(run.interpreter.evaluate(field(node, "value"), frame))
    if is_null(source):
        throw("NullPointerException")
    name, ref = text(field(node, "name")), type_ref(field(node, "type"))
    body = field(node, "body")
    elements = rounds(run, source)
    if elements is None:
        reason = f"cannot tell the elements of {text(field(node, 'value'))[:60]}, over which a loop runs"
        unknown = run.unknown(reason, cause_of_order(source), Site(node, frame))
        if (known := unknown_of(source)) is not None:
            cause = known.cause if known.cause in (Cause.ARGUMENT, Cause.NON_DETERMINISTIC) else Cause.COLLECTION
            unknown = run.unknown(f"{reason} ({known.reason})", cause, Site(node, frame), known.settled_by)
        element = Opaque(
            unknown, run.fresh(short(f"element({described_as(source)})")), run.index.resolve_type(ref, frame.decl)
        )

        def once(inner: Frame) -> None:
            names.declare(run, name, ref, element, inner)
            _body_round(run, body, inner, label)

        unknown_loop(run, once, unknown, Site(node, frame), source)
        return
    for place, element_value in enumerate(elements):
        if place >= MAX_LOOP:
            raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop", run.location(Site(node, frame)))
        inner = frame.inner()
        names.declare(run, name, ref, classes_of_values.coerce(run, element_value, ref, frame.decl), inner)
        if not _body_round(run, body, inner, label):
            break


def _for(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    for child in node.fields("init"):
        if child.type == "local_variable_declaration":
            run.interpreter.execute(child, inner)
        elif child.is_named:
            run.interpreter.evaluate(child, inner)
    updates = [child for child in node.fields("update") if child.is_named]
    _loop(run, node, field(node, "condition"), updates, inner, label)


def _while(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    _loop(run, node, field(node, "condition"), [], frame.inner(), label)


def _do(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    if _body_round(run, field(node, "body"), inner, label):
        _loop(run, node, field(node, "condition"), [], inner, label)


DULL_ROUNDS = 100
"""Rounds after which a loop that has declared nothing so far is not followed any further."""


def _loop(run: Run, node: Node, condition: Node | None, updates: Sequence[Node], frame: Frame, label: str) -> None:
    body = field(node, "body")

    def once(inner: Frame) -> None:
        _body_round(run, body, inner, label)
        for update in updates:
            run.interpreter.evaluate(update, inner)

    start = run.memory.mark()
    for count in range(MAX_LOOP):
        value = run.interpreter.evaluate(condition, frame) if condition is not None else boolean(True)
        known = run.truth(value)
        if known is False:
            return
        reason = unknown_of(value)
        if count >= DULL_ROUNDS and not run.memory.touched_topology(start):
            known, reason = None, _ENDLESS
        if known is None:
            unknown_loop(run, once, _open_loop(run, reason, Site(node, frame)), Site(node, frame), value)
            return
        if not _body_round(run, body, frame, label):
            return
        for update in updates:
            run.interpreter.evaluate(update, frame)
    raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop", run.location(Site(node, frame)))


_ENDLESS = Unknown(f"it goes on after {DULL_ROUNDS} rounds", Cause.LIMIT)


def _open_loop(run: Run, reason: Unknown | None, site: Site) -> Unknown:
    what = "cannot tell how often a loop runs"
    if reason is None:
        return run.unknown(what, Cause.COLLECTION, site)
    cause = Cause.ARGUMENT if reason.cause is Cause.ARGUMENT else Cause.COLLECTION
    return run.unknown(f"{what} ({reason.reason})", cause, site, reason.settled_by)


LOOPS: dict[NodeKind, Callable[[Run, Node, Frame, str], None]] = {
    "enhanced_for_statement": _for_each,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
}
"""Loop statements by the name of their node."""


def execute(run: Run, nodes: Sequence[Node], frame: Frame) -> None:
    """Run statements in order."""
    for node in nodes:
        run.interpreter.execute(node, frame)


def block(run: Run, node: Node, frame: Frame) -> None:
    """Run a block in a scope of its own."""
    execute(run, children(node), frame.inner())


def arguments(run: Run, node: Node | None, frame: Frame) -> list[Value]:
    """The values of an argument list, left to right."""
    return [run.interpreter.evaluate(child, frame) for child in children(node)] if node is not None else []


def switch(run: Run, node: Node, frame: Frame, *, expression: bool) -> None:
    """A switch statement or expression; the latter leaves by YieldSignal."""
    subject = run.soften(run.interpreter.evaluate(field(node, "condition"), frame))
    body = field(node, "body")
    groups = children(body) if body is not None else []
    if isinstance(subject, Choice) and not expression:
        enter = partial(_enter, run, groups=groups, node=node, frame=frame, expression=False)
        if run.ways(subject, [partial(enter, option) for _, option in subject.options]) is not None:
            return
    _enter(run, subject, groups, node, frame, expression=expression)


def _enter(run: Run, subject: Value, groups: Sequence[Node], node: Node, frame: Frame, *, expression: bool) -> Value:
    """Run the group that a value leads to, and those that it falls through to."""
    subject, inner = run.settle(subject), frame.inner()
    if is_null(subject) and "null" not in text(node):
        throw("NullPointerException")
    place = _matching_group(run, subject, groups, node, inner)
    if place is None:
        return NULL
    try:
        if groups[place].type == "switch_rule":
            _rule(run, groups[place], inner, expression=expression)
            return NULL
        for group in groups[place:]:
            execute(run, [child for child in children(group) if child.type != "switch_label"], inner)
    except BreakSignal as signal:
        if signal.label:
            raise
    return NULL


def _rule(run: Run, rule: Node, frame: Frame, *, expression: bool) -> None:
    for child in children(rule):
        if child.type == "switch_label":
            continue
        if child.type == "expression_statement" and expression:
            raise YieldSignal(run.interpreter.evaluate(children(child)[0], frame))
        run.interpreter.execute(child, frame)


def _matching_group(run: Run, subject: Value, groups: Sequence[Node], node: Node, frame: Frame) -> int | None:
    """The group that a switch enters: decided by the value, else a choice of the path."""
    cases: list[tuple[str, int]] = []
    default: int | None = None
    for place, group in enumerate(groups):
        for label in (child for child in children(group) if child.type == "switch_label"):
            expressions = children(label)
            if not expressions:
                default = place
            for case in expressions:
                if case.type == "identifier" and text(case) == "default":
                    default = place
                    continue
                verdict = _case_matches(run, subject, case, frame)
                if verdict is True:
                    return place
                if verdict is None:
                    cases.append((" ".join(text(case).split()), place))
    if not cases:
        return default
    symbol = subject.symbol if isinstance(subject, Opaque) else run.fresh("switch")
    unknown = unknown_of(subject) or run.unknown(
        "cannot tell the value that a switch goes by", Cause.BRANCH, Site(node, frame)
    )
    labels = tuple(
        f"{text(field(node, 'condition')).removeprefix('(').removesuffix(')')} is {case}" for case, _ in cases
    )
    options: tuple[tuple[int, Value], ...] = tuple((i, Constant(i, "int")) for i in range(len(cases) + 1))
    symbol = short(f"{symbol} in switch of {', '.join(case for case, _ in cases)}")
    chosen = run.pick_labeled(Choice(symbol, options, unknown), (*labels, "none of the cases"))
    return cases[chosen][1] if chosen < len(cases) else default


def _case_matches(run: Run, subject: Value, case: Node, frame: Frame) -> bool | None:
    if isinstance(subject, Instance) and subject.name is not None:
        return text(case).rpartition(".")[2] == subject.name
    if isinstance(subject, Constant):
        value = run.interpreter.evaluate(case, frame)
        if isinstance(value, Constant):
            return value.value == subject.value
    return None
