"""Executes statements: one function per node type of the grammar."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from checker.extract.java import calls, names, objects
from checker.extract.java.class_index import External
from checker.extract.java.declarations import ClassDecl, TypeRef, declare, type_ref
from checker.extract.java.expressions import array_initializer, evaluate
from checker.extract.java.flink_values import Draft, EnvValue, StreamValue
from checker.extract.java.frames import (
    BreakSignal,
    ContinueSignal,
    Frame,
    LimitSignal,
    ReturnSignal,
    Signal,
    ThrowSignal,
    YieldSignal,
)
from checker.extract.java.library import collections
from checker.extract.java.parse import children, field, text, walk
from checker.extract.java.run import MAX_LOOP, Run, is_value, unknown_of
from checker.extract.java.values import NULL, Choice, Constant, Instance, ListValue, MapValue, Opaque, Value, boolean
from checker.model.topology import Cause, Unknown


def execute(run: Run, node: Node, frame: Frame) -> None:
    """Run one statement."""
    run.step(node)
    handler = _HANDLERS.get(node.type)
    if handler is not None:
        handler(run, node, frame)
    elif node.type == "ERROR" or node.is_error:
        _broken(run, node, frame)
    elif node.type.endswith("_expression") or node.type.endswith("_invocation"):
        evaluate(run, node, frame)


def _broken(run: Run, node: Node, frame: Frame) -> None:
    """Source that does not parse inside of a method that runs: whatever stands there is unknown."""
    from checker.extract.java.flink_api import unknowns

    unknown = Unknown("the source does not parse here", Cause.SYNTAX, None, run.location(node, frame))
    unknowns.everything(run, unknown, node, frame)


def block(run: Run, node: Node, frame: Frame) -> None:
    """Run a block in a scope of its own."""
    sequence(run, children(node), frame.inner())


def sequence(run: Run, nodes: list[Node], frame: Frame) -> None:
    """Run statements in order."""
    for node in nodes:
        execute(run, node, frame)


def _local(run: Run, node: Node, frame: Frame) -> None:
    written = type_ref(field(node, "type"))
    for child in children(node):
        if child.type != "variable_declarator":
            continue
        name = text(field(child, "name"))
        ref = TypeRef(written.name, written.arguments, written.dimensions + text(field(child, "dimensions")).count("["))
        source = field(child, "value")
        if source is None:
            names.declare(run, name, ref, objects.default_value(ref), frame)
            continue
        if source.type == "array_initializer":
            value = array_initializer(run, source, frame)
        else:
            value = evaluate(run, source, frame)
        names.declare(run, name, ref, calls.coerce(run, value, ref, frame), frame)


def _expression(run: Run, node: Node, frame: Frame) -> None:
    for child in children(node):
        if child.type == "switch_expression":
            switch(run, child, frame, expression=False)
        else:
            evaluate(run, child, frame)


def _if(run: Run, node: Node, frame: Frame) -> None:
    outer = frame.inner()
    current: Node | None = node
    tests: list[tuple[Value, Node | None, Node]] = []
    # else-if chains are walked in a loop: they can be long
    while current is not None and current.type == "if_statement":
        condition_node = field(current, "condition")
        condition = evaluate(run, condition_node, outer)
        known = run.truth(condition)
        consequence, alternative = field(current, "consequence"), field(current, "alternative")
        if known is True:
            if consequence is not None:
                execute(run, consequence, outer.inner())
            return
        if known is None:
            tests.append((condition, consequence, condition_node or current))
            _unknown_if(run, condition, consequence, alternative, condition_node or current, outer)
            return
        current = alternative
    if current is not None:
        execute(run, current, outer)


def _unknown_if(
    run: Run, condition: Value, consequence: Node | None, alternative: Node | None, test: Node, frame: Frame
) -> None:
    def then() -> None:
        if consequence is not None:
            execute(run, consequence, frame.inner())

    def otherwise() -> None:
        if alternative is not None:
            execute(run, alternative, frame.inner())

    run.branch(condition, then, otherwise, " ".join(text(test).strip("()").split())[:120], test.id)


def _return(run: Run, node: Node, frame: Frame) -> None:
    inner = children(node)
    raise ReturnSignal(evaluate(run, inner[0], frame) if inner else NULL)


def _throw(run: Run, node: Node, frame: Frame) -> None:
    inner = children(node)
    raise ThrowSignal(evaluate(run, inner[0], frame) if inner else NULL)


def _break(run: Run, node: Node, frame: Frame) -> None:
    label = children(node)
    raise BreakSignal(text(label[0]) if label else "")


def _continue(run: Run, node: Node, frame: Frame) -> None:
    label = children(node)
    raise ContinueSignal(text(label[0]) if label else "")


def _yield(run: Run, node: Node, frame: Frame) -> None:
    inner = children(node)
    raise YieldSignal(evaluate(run, inner[0], frame) if inner else NULL)


def _labeled(run: Run, node: Node, frame: Frame) -> None:
    label, body = children(node)[0], children(node)[-1]
    name = text(label)
    try:
        if body.type in _LOOPS:
            _LOOPS[body.type](run, body, frame, name)
        else:
            execute(run, body, frame)
    except BreakSignal as signal:
        if signal.label != name:
            raise


# -- loops ---------------------------------------------------------------------------------------------------------


def _body_round(run: Run, body: Node | None, frame: Frame, label: str) -> bool:
    """One round of a loop; False when it breaks out."""
    try:
        if body is not None:
            execute(run, body, frame.inner())
    except BreakSignal as signal:
        if signal.label in ("", label):
            return False
        raise
    except ContinueSignal as signal:
        if signal.label not in ("", label):
            raise
    return True


def _for_each(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    source = run.settle(evaluate(run, field(node, "value"), frame))
    name, ref = text(field(node, "name")), type_ref(field(node, "type"))
    body = field(node, "body")
    elements = collections.elements_of(run, source)
    if elements is None:
        unknown = unknown_of(source) or Unknown(
            "a collection whose elements are not known from the source", Cause.COLLECTION, None,
            run.location(node, frame),
        )  # fmt: skip
        unknown = Unknown(
            f"a loop over {text(field(node, 'value'))[:60]}: {unknown.reason}",
            unknown.cause if unknown.cause in (Cause.ARGUMENT, Cause.NON_DETERMINISTIC) else Cause.COLLECTION,
            unknown.settled_by, run.location(node, frame),
        )  # fmt: skip
        element = Opaque(unknown, run.fresh(f"element {name}"), run.index.resolve_type(ref, frame.decl))

        def once(inner: Frame) -> None:
            names.declare(run, name, ref, element, inner)
            _body_round(run, body, inner, label)

        unknown_loop(run, once, unknown, node, frame)
        return
    for place, element_value in enumerate(elements):
        if place >= MAX_LOOP:
            raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")
        inner = frame.inner()
        names.declare(run, name, ref, calls.coerce(run, element_value, ref, frame), inner)
        if not _body_round(run, body, inner, label):
            break


def _for(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    for child in node.children_by_field_name("init"):
        if child.type == "local_variable_declaration":
            execute(run, child, inner)
        elif child.is_named:
            evaluate(run, child, inner)
    updates = [child for child in node.children_by_field_name("update") if child.is_named]
    _loop(run, node, field(node, "condition"), updates, inner, label)


def _while(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    _loop(run, node, field(node, "condition"), [], frame.inner(), label)


def _do(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    if _body_round(run, field(node, "body"), inner, label):
        _loop(run, node, field(node, "condition"), [], inner, label)


DULL_ROUNDS = 100
"""Rounds after which a loop that has declared nothing so far is not followed any further."""


def _loop(run: Run, node: Node, condition: Node | None, updates: list[Node], frame: Frame, label: str) -> None:
    body = field(node, "body")

    def once(inner: Frame) -> None:
        _body_round(run, body, inner, label)
        for update in updates:
            evaluate(run, update, inner)

    start = run.world.mark()
    for count in range(MAX_LOOP):
        value = evaluate(run, condition, frame) if condition is not None else boolean(True)
        known = run.truth(value)
        if known is False:
            return
        reason = unknown_of(value)
        if count >= DULL_ROUNDS and not run.world.touched_topology(start):
            known, reason = None, Unknown(f"it goes on after {DULL_ROUNDS} rounds", Cause.LIMIT)
        if known is None:
            unknown = Unknown(
                f"how often a loop runs is not known: {reason.reason if reason else 'its condition is not'}",
                reason.cause if reason and reason.cause is Cause.ARGUMENT else Cause.COLLECTION,
                reason.settled_by if reason else None, run.location(node, frame),
            )  # fmt: skip
            unknown_loop(run, once, unknown, node, frame)
            return
        if not _body_round(run, body, frame, label):
            return
        for update in updates:
            evaluate(run, update, frame)
    raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")


def unknown_loop(run: Run, once: Callable[[Frame], None], unknown: Unknown, node: Node, frame: Frame) -> None:
    """A loop whose rounds are not known: what one round would write is unknown afterwards.

    If a round declares operators, they become one transformation of kind ``unknown``.
    """
    from checker.extract.java.flink_api import unknowns

    mark = run.world.mark()
    known_drafts = {id(draft) for env in run.envs for draft in env.drafts}
    outer_oracle, outer_region, jobs = run.oracle, run.region_mark, run.jobs.items
    inner_oracle = type(outer_oracle)(parent=outer_oracle)
    run.oracle, run.region_mark = inner_oracle, None
    used: tuple[Draft, ...] = ()
    envs: list[EnvValue] = []
    left: ReturnSignal | None = None
    try:
        once(frame.inner())
    except LimitSignal:
        raise
    except Signal as signal:
        left = signal if isinstance(signal, ReturnSignal) else None
    finally:
        for env in run.envs:
            new = [draft for draft in env.drafts if id(draft) not in known_drafts]
            if new:
                envs.append(env)
                used += tuple(i for draft in new for i in draft.inputs if id(i) in known_drafts)
        effects = run.world.effects(mark)
        topological = run.world.touched_topology(mark) or run.jobs.items != jobs
        run.oracle, run.region_mark = outer_oracle, outer_region
        run.world.rollback(mark)
    replacement: StreamValue | None = None
    if topological:
        for env in envs or run.envs[-1:]:
            inputs = tuple(dict.fromkeys(used))
            replacement = unknowns.stream(run, env, unknown, inputs, node, frame)
    for write, value in effects.values():
        if write.entry and write.old is not _missing() and is_value(write.old):
            run.world.put(write.target, write.key, _after(run, write.old, value, unknown, replacement))
        elif not write.entry and isinstance(write.target, ListValue | MapValue):
            run.world.assign(write.target, write.key, None)
            run.world.assign(write.target, "unknown", unknown)
        elif not write.entry and isinstance(write.target, Draft):
            if write.key in ("uid", "name", "parallelism", "max_parallelism", "uid_hash", "chaining"):
                run.world.assign(write.target, write.key, unknown)
        elif not write.entry and isinstance(write.target, EnvValue) and write.key not in ("drafts",):
            run.world.assign(write.target, write.key, unknown)
        elif not write.entry and is_value(write.old):
            run.world.assign(write.target, write.key, Opaque(unknown, run.fresh("after loop")))
    if left is not None and run.decide(Opaque(unknown, run.fresh("returns"))):
        raise ReturnSignal(
            left.value if isinstance(left.value, Constant) else _after(run, NULL, left.value, unknown, replacement)
        )


def _missing() -> object:
    from checker.extract.java.world import MISSING

    return MISSING


def _after(run: Run, old: Value, new: Value, unknown: Unknown, replacement: StreamValue | None) -> Value:
    """What a variable holds after an unknown number of rounds."""
    if isinstance(new, StreamValue) and replacement is not None:
        return StreamValue(new.type, new.env, replacement.draft)
    if old is new or old == new:
        return old
    return Opaque(unknown, run.fresh("after loop"))


_LOOPS: dict[str, Callable[[Run, Node, Frame, str], None]] = {
    "enhanced_for_statement": _for_each,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
}


# -- switch --------------------------------------------------------------------------------------------------------


def switch(run: Run, node: Node, frame: Frame, *, expression: bool) -> None:
    """A switch statement or expression; the latter leaves by YieldSignal."""
    subject = run.soften(evaluate(run, field(node, "condition"), frame))
    body = field(node, "body")
    groups = children(body) if body is not None else []
    inner = frame.inner()
    if isinstance(subject, Choice) and not expression:

        def way(value: Value) -> Callable[[], None]:
            return lambda: _enter(run, value, groups, node, frame.inner(), expression=False)

        if run.ways(subject, [way(option) for _, option in subject.options]):
            return
    _enter(run, run.settle(subject), groups, node, inner, expression=expression)


def _enter(run: Run, subject: Value, groups: list[Node], node: Node, inner: Frame, *, expression: bool) -> None:
    """Run the group that a value leads to, and those that it falls through to."""
    place = _matching_group(run, run.settle(subject), groups, node, inner)
    if place is None:
        return
    try:
        if groups[place].type == "switch_rule":
            _rule(run, groups[place], inner, expression=expression)
            return
        for group in groups[place:]:
            sequence(run, [child for child in children(group) if child.type != "switch_label"], inner)
    except BreakSignal as signal:
        if signal.label:
            raise


def _rule(run: Run, rule: Node, frame: Frame, *, expression: bool) -> None:
    for child in children(rule):
        if child.type == "switch_label":
            continue
        if child.type == "expression_statement" and expression:
            raise YieldSignal(evaluate(run, children(child)[0], frame))
        execute(run, child, frame)


def _matching_group(run: Run, subject: Value, groups: list[Node], node: Node, frame: Frame) -> int | None:
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
    unknown = unknown_of(subject) or Unknown(
        "the value that a switch goes by is not known", Cause.BRANCH, None, run.location(node, frame)
    )
    labels = tuple(f"{text(field(node, 'condition')).strip('()')} is {case}" for case, _ in cases)
    options: tuple[tuple[int, Value], ...] = tuple((i, Constant(i, "int")) for i in range(len(cases) + 1))
    chosen = run.pick_labeled(Choice(f"{symbol} in switch", options, unknown), (*labels, "none of the cases"))
    return cases[chosen][1] if chosen < len(cases) else default


def _case_matches(run: Run, subject: Value, case: Node, frame: Frame) -> bool | None:
    if isinstance(subject, Instance) and subject.name is not None:
        return text(case).rpartition(".")[2] == subject.name
    if isinstance(subject, Constant):
        value = evaluate(run, case, frame)
        if isinstance(value, Constant):
            return value.value == subject.value
    return None


# -- try -----------------------------------------------------------------------------------------------------------


def _try(run: Run, node: Node, frame: Frame) -> None:
    inner = frame.inner()
    clauses = [child for child in children(node) if child.type == "catch_clause"]
    final = next((child for child in children(node) if child.type == "finally_clause"), None)
    run.catching += 1 if clauses else 0
    caught: ThrowSignal | None = None
    try:
        try:
            resources = field(node, "resources")
            for resource in children(resources) if resources is not None else ():
                _resource(run, resource, inner)
            body = field(node, "body")
            if body is not None:
                block(run, body, inner)
        except ThrowSignal as signal:
            caught = signal
        finally:
            run.catching -= 1 if clauses else 0
        if caught is not None:
            _catch(run, caught, clauses, frame)
    finally:
        if final is not None:
            block(run, children(final)[-1], frame)


def _resource(run: Run, node: Node, frame: Frame) -> None:
    name, value = field(node, "name"), field(node, "value")
    if name is not None and value is not None:
        ref = type_ref(field(node, "type"))
        names.declare(run, text(name), ref, calls.coerce(run, evaluate(run, value, frame), ref, frame), frame)


def _catch(run: Run, signal: ThrowSignal, clauses: list[Node], frame: Frame) -> None:
    for clause in clauses:
        parameter = next((child for child in children(clause) if child.type == "catch_formal_parameter"), None)
        if parameter is None:
            continue
        types = next((child for child in children(parameter) if child.type == "catch_type"), None)
        refs = [type_ref(child) for child in children(types)] if types is not None else []
        if any(_catches(run, signal.value, ref, frame) for ref in refs):
            inner = frame.inner()
            name = text(field(parameter, "name"))
            names.declare(run, name, refs[0], signal.value, inner)
            body = field(clause, "body")
            if body is not None:
                block(run, body, inner)
            return
    raise signal


def _catches(run: Run, value: Value, ref: TypeRef, frame: Frame) -> bool:
    if ref.simple in ("Exception", "Throwable", "RuntimeException"):
        return True
    verdict = calls.instance_of(run, value, ref, frame)
    return verdict is not False


def _synchronized(run: Run, node: Node, frame: Frame) -> None:
    body = field(node, "body")
    if body is not None:
        block(run, body, frame)


def _local_class(run: Run, node: Node, frame: Frame) -> None:
    decl = declare(frame.decl.unit, node, frame.decl.package, frame.decl, local=True)
    if decl is not None and decl.name not in frame.decl.local_types:
        frame.decl.local_types[decl.name] = decl


def has_statement(node: Node, kind: str) -> bool:
    """Whether a statement of a type occurs below a node, classes inside of it left out."""
    return any(found.type == kind for found in walk(node, into_classes=False))


_HANDLERS: dict[str, Callable[[Run, Node, Frame], None]] = {
    "block": block,
    "constructor_body": block,
    "local_variable_declaration": _local,
    "expression_statement": _expression,
    "if_statement": _if,
    "return_statement": _return,
    "throw_statement": _throw,
    "break_statement": _break,
    "continue_statement": _continue,
    "yield_statement": _yield,
    "labeled_statement": _labeled,
    "enhanced_for_statement": _for_each,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
    "switch_expression": lambda run, node, frame: switch(run, node, frame, expression=False),
    "switch_statement": lambda run, node, frame: switch(run, node, frame, expression=False),
    "try_statement": _try,
    "try_with_resources_statement": _try,
    "synchronized_statement": _synchronized,
    "class_declaration": _local_class,
    "interface_declaration": _local_class,
    "enum_declaration": _local_class,
    "record_declaration": _local_class,
    "explicit_constructor_invocation": lambda run, node, frame: objects.explicit_constructor(run, node, frame),
    "assert_statement": lambda run, node, frame: None,
}

__all__ = ["ClassDecl", "External", "MapValue", "execute", "switch", "unknown_loop"]
