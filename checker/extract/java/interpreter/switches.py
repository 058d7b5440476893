"""``switch`` as statement and as expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from checker.extract.interpreting.shapes import is_one_text
from checker.extract.java.interpreter import loops
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import short
from checker.extract.java.machine.exceptions import BreakSignal, YieldSignal, throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    Constant,
    Frame,
    Instance,
    Opaque,
    Value,
    is_null,
    unknown_of,
)
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.model.unknowns import Cause


def switch(run: Run, node: Node, frame: Frame, *, expression: bool) -> None:
    """A switch statement or expression; the latter leaves by YieldSignal."""
    subject = run.soften(run.interpreter.evaluate(field(node, "condition"), frame))
    body = field(node, "body")
    groups = children(body) if body is not None else []
    inner = frame.inner()
    if isinstance(subject, Choice) and not expression:

        def way(value: Value) -> Callable[[], Value]:
            def entered() -> Value:
                _enter(run, value, groups, node, frame.inner(), expression=False)
                return NULL

            return entered

        if run.ways(subject, [way(option) for _, option in subject.options]) is not None:
            return
    _enter(run, run.settle(subject), groups, node, inner, expression=expression)


def _enter(run: Run, subject: Value, groups: Sequence[Node], node: Node, inner: Frame, *, expression: bool) -> None:
    """Run the group that a value leads to, and those that it falls through to."""
    subject = run.settle(subject)
    if is_null(subject) and "null" not in text(node):
        throw("NullPointerException")
    place = _matching_group(run, subject, groups, node, inner)
    if place is None:
        return
    try:
        if groups[place].type == "switch_rule":
            _rule(run, groups[place], inner, expression=expression)
            return
        for group in groups[place:]:
            loops.execute(run, [child for child in children(group) if child.type != "switch_label"], inner)
    except BreakSignal as signal:
        if signal.label:
            raise


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
    texts: list[str] = []
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
                    value = run.interpreter.evaluate(case, frame) if case.type == "string_literal" else None
                    texts += [str(value.value)] if isinstance(value, Constant) else []
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
    if isinstance(subject, Opaque) and is_one_text(subject.symbol) and len(texts) == len(cases):
        for compared, (_, place), what in zip(texts, cases, labels, strict=True):
            if run.decide(replace(subject, symbol=f"{subject.symbol}.equals({compared!r})"), what):
                return place
        return default
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
