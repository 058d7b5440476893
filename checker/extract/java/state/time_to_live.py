"""Whether a descriptor gets a time-to-live, and how long it is: ``enableTimeToLive`` on the variable that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.constants import called_method, returned
from checker.extract.java.state.type_information import Evaluation
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, assigned_values, find_field
from checker.extract.java.syntax.tree import Node, above, field, text, walk
from checker.model.declared_state import Expiry
from checker.model.unknowns import Cause, Maybe, Unknown

_ASKING = frozenset(
    {"getState", "getListState", "getMapState", "getReducingState", "getAggregatingState", "getUnionListState",
     "getBroadcastState", "getPartitionedState", "getFoldingState", "broadcast", "setQueryable", "applyToKeyedState",
     "applyToAllKeys", "getOrCreateKeyedState", "getKvState", "asQueryableState"}
)  # fmt: skip
"""Calls that take a descriptor and leave its time-to-live alone."""

_REPEATED = frozenset(
    {"for_statement", "enhanced_for_statement", "while_statement", "do_statement", "lambda_expression"}
)  # fmt: skip
"""Code that may run before what stands before it."""
_METHODS: Final[tuple[NodeKind, ...]] = ("method_declaration", "constructor_declaration", "class_body")

_SHORT = {
    "updateTtlOnReadAndWrite": ("setUpdateType", "OnReadAndWrite"),
    "updateTtlOnCreateAndWrite": ("setUpdateType", "OnCreateAndWrite"),
    "returnExpiredIfNotCleanedUp": ("setStateVisibility", "ReturnExpiredIfNotCleanedUp"),
    "neverReturnExpired": ("setStateVisibility", "NeverReturnExpired"),
}
"""Calls on a builder that stand for another one with an argument."""
_CHOSEN = {
    "OnReadAndWrite": True, "OnCreateAndWrite": False, "ReturnExpiredIfNotCleanedUp": True, "NeverReturnExpired": False
}  # fmt: skip
_DEPTH = 6


class TimeToLive:
    """Reads what code says of the time-to-live of descriptors in variables and fields."""

    def __init__(
        self,
        shapes: ShapeReader,
        evaluation: Evaluation,
        bound: Mapping[str, tuple[Node, ClassDecl]] | None = None,
        caller: TimeToLive | None = None,
    ) -> None:
        """``bound`` are the arguments with which ``caller``'s code calls the code that is read."""
        self._depth: int = caller._depth + 1 if caller is not None else 0
        self._bound, self._caller = bound or {}, caller
        self._shapes = shapes
        self._evaluation = evaluation
        self.expiry: Expiry | None = None
        """When values expire, by the configuration that was met last."""

    def of(self, scope: ClassDecl, variable: Node) -> Maybe[bool]:
        """Whether the variable's descriptor gets a time-to-live; Unknown where conditions or other code decide."""
        self.expiry = None
        plain = text(variable).removeprefix("this.")
        reach = _method(variable) if find_local(variable, plain) is not None else scope.body
        return self._in(scope, reach, plain, variable)

    def _in(self, scope: ClassDecl, reach: Node | None, plain: str, use: Node | None) -> Maybe[bool]:
        """Whether code sets a time-to-live for what it calls ``plain``; ``use`` is where the state is asked for."""
        result: Maybe[bool] = False
        for node in walk(reach) if reach is not None else ():
            if node.type != "method_invocation":
                continue
            called = text(field(node, "name"))
            receiver = text(field(node, "object")).removeprefix("this.")
            given = arguments_of(node)
            places = [i for i, argument in enumerate(given) if text(argument).removeprefix("this.") == plain]
            if called == "enableTimeToLive" and receiver == plain:
                found = self._enabled(scope, node, given[0] if given else None)
            elif places and called not in _ASKING:
                found = self._handed(scope, node, places, f"{called}() may set the time-to-live of '{plain}'")
            else:
                continue
            if found is not False and use is not None and _is_late(node, use):
                if not self._is_shared(scope, use, plain):
                    continue
                why = f"other objects of the class may have set the time-to-live of '{plain}' before"
                return self._unknown(scope, node, why)
            if found is not False:
                result = found
            if isinstance(found, Unknown) and places:
                return found
        return result

    def _handed(self, scope: ClassDecl, call: Node, places: list[int], otherwise: str) -> Maybe[bool]:
        """Whether a method of the program that gets a descriptor sets its time-to-live; Unknown for all other code."""
        method = called_method(self._shapes.index, scope, call)
        plain = method is not None and not method.varargs and not method.modifiers.isdisjoint({"static", "private"})
        if method is None or not plain or len(places) > 1 or self._depth > _DEPTH:
            return self._unknown(scope, call, otherwise)
        inner = TimeToLive(self._shapes, self._evaluation, caller=self)
        name = method.parameters[places[0]].name
        if assigned_values(method.node, name):
            return self._unknown(scope, call, otherwise)
        found = inner._in(method.owner, method.body, name, None)
        return found if found is False else self._unknown(scope, call, otherwise)

    def _is_shared(self, scope: ClassDecl, variable: Node, plain: str) -> bool:
        if find_local(variable, plain) is not None:
            return False
        declared = find_field(self._shapes.index, scope, plain)
        return declared is None or declared.static

    def _enabled(self, scope: ClassDecl, node: Node, config: Node | None) -> Maybe[bool]:
        for condition, wanted in _conditions(node):
            holds = self._evaluation.truth(condition, scope)
            if holds is None:
                why = f"whether the state gets a time-to-live depends on '{text(condition)[:60]}'"
                return self._unknown(scope, condition, why)
            if holds is not wanted:
                return False
        return True if config is None else self._configured(scope, config)

    def _configured(self, scope: ClassDecl, config: Node) -> Maybe[bool]:
        """A configuration is on unless it is ``DISABLED``; one that is chosen by a condition may be either."""
        spelled = text(config)
        if config.type in ("identifier", "field_access") and spelled.endswith("DISABLED"):
            return False
        if config.type == "ternary_expression":
            holds = self._evaluation.truth(field(config, "condition") or config, scope)
            sides = [field(config, "consequence"), field(config, "alternative")]
            if holds is not None and (taken := sides[0 if holds else 1]) is not None:
                return self._configured(scope, taken)
            found = [self._configured(scope, side) for side in sides if side is not None]
            if found and all(enabled is True for enabled in found):
                self.expiry = Expiry(milliseconds=self._unknown(scope, config, f"'{spelled[:60]}' says how long it is"))
                return True
            return self._unknown(scope, config, f"'{spelled[:60]}' decides whether there is a time-to-live")
        method = called_method(self._shapes.index, scope, config) if config.type == "method_invocation" else None
        if method is not None:
            return self._returned(scope, config, method)
        if config.type == "identifier":
            local = find_local(config, spelled)
            value = field(local[0], "value") if local is not None else None
            if local is not None:
                plain = local[0].type == "variable_declarator" and value is not None
                if plain and value is not None:
                    return self._configured(scope, value)
                argument = self._bound.get(spelled) if local[0].type != "variable_declarator" else None
                if argument is not None and self._caller is not None and not assigned_values(_method(config), spelled):
                    found_there = self._caller._configured(argument[1], argument[0])
                    self.expiry = self._caller.expiry
                    return found_there
                return self._unknown(scope, config, f"'{spelled[:60]}' decides whether there is a time-to-live")
            declared = find_field(self._shapes.index, scope, spelled)
            if declared is not None and declared.value is not None and declared.final:
                return self._configured(declared.owner, declared.value)
        nodes = [text(n) for n in walk(config) if n.type in ("identifier", "field_access")]
        if any(node.endswith(("DISABLED", "UpdateType.Disabled")) for node in nodes):
            return self._unknown(scope, config, f"'{spelled[:60]}' decides whether there is a time-to-live")
        self.expiry = self._expiry(scope, config)
        return True

    def _expiry(self, scope: ClassDecl, config: Node) -> Expiry:
        """What the calls on the way to a configuration say, those on a variable that holds its builder among them."""
        calls: list[tuple[str, Sequence[Node]]] = []
        node: Node | None = config
        while node is not None:
            if node.type == "method_invocation":
                calls.append((text(field(node, "name")), arguments_of(node)))
                node = field(node, "object")
                continue
            local = find_local(node, text(node)) if node.type == "identifier" else None
            if local is not None:
                around = _method(node)
                for call in walk(around) if around is not None else ():
                    if call.type == "method_invocation" and text(field(call, "object")) == text(node):
                        calls.insert(0, (text(field(call, "name")), arguments_of(call)))
            node = field(local[0], "value") if local is not None else None
        chosen: dict[str, Maybe[bool]] = {"setUpdateType": False, "setStateVisibility": False}
        length: Node | None = None
        made = [(name, given[0] if len(given) == 1 else config, "") for name, given in reversed(calls)]
        if not any(name == "newBuilder" for name, _, _ in made):
            made = [(name, config, written) for name, written in self._evaluation.calls(config, scope)] + made
        for name, argument, written in made:
            if name in ("newBuilder", "setTtl") and argument is not config:
                length = argument
            elif name in chosen:
                written = written or text(argument)
                unknown = self._unknown(scope, argument, f"'{written[:60]}' says when values expire")
                chosen[name] = _CHOSEN.get(written.rpartition(".")[2], unknown)
            elif name in _SHORT:
                setter, value = _SHORT[name]
                chosen[setter] = _CHOSEN[value]
        why = f"'{text(length if length is not None else config)[:60]}' says how long it is"
        says = length if length is not None else config
        return Expiry(
            milliseconds=self._evaluation.milliseconds(says, scope) or self._unknown(scope, says, why),
            refreshed_by_reads=chosen["setUpdateType"],
            visible_until_cleaned=chosen["setStateVisibility"],
        )

    def _returned(self, scope: ClassDecl, call: Node, method: MethodDecl) -> Maybe[bool]:
        """A configuration that a method of the program makes."""
        bound = {p.name: (node, scope) for p, node in zip(method.parameters, arguments_of(call), strict=False)}
        result = returned(method)
        if result is None or self._depth > _DEPTH:
            return self._unknown(scope, call, f"'{text(call)[:60]}' decides whether there is a time-to-live")
        inner = TimeToLive(self._shapes, self._evaluation.given(bound), bound, self)
        found = inner._configured(method.owner, result)
        self.expiry = inner.expiry
        return self._unknown(scope, call, found.reason) if isinstance(found, Unknown) else found

    def _unknown(self, scope: ClassDecl, node: Node, reason: str) -> Unknown:
        digest = self._shapes.closures.of(node, scope, fields=self._evaluation.fields)
        return Unknown(reason, Cause.OTHER, location=scope.unit.location(node), derived_from=digest)


def _is_late(enabling: Node, use: Node) -> bool:
    """Whether a time-to-live is set after the state was asked for: Flink has made the state by then, without it.

    ``AbstractKeyedStateBackend.getOrCreateKeyedState`` wraps states with a time-to-live when they are asked for.
    """
    if enabling.start_byte < use.end_byte or _method(enabling) is not _method(use):
        return False
    return _method(enabling) is not None and all(node.type not in _REPEATED for node in above(enabling, *_METHODS))


def _method(node: Node) -> Node | None:
    return next((around for around in above(node) if around.type in _METHODS), None)


def _conditions(node: Node) -> Iterator[tuple[Node, bool]]:
    """The conditions under which a statement is reached, with what they must be."""
    child = node
    for current in above(node, *_METHODS):
        condition = field(current, "condition")
        if current.type in ("if_statement", "ternary_expression") and condition is not None and condition != child:
            first = field(current, "consequence")
            yield condition, first is not None and first == child
        elif current.type in ("switch_block_statement_group", "catch_clause", "switch_rule"):
            yield current, True
        child = current
