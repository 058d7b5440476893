"""How the statements of a body run, and where the values go that they take: whether any code makes use of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from checker.extract.java.reached.truths import Values, truth
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.nodes import is_of_object
from checker.extract.java.syntax.tree import COMMENTS, Node, above, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.model.gathered import gathered
from checker.model.program_code import Goes, Outcome, Runs

STATEMENTS: Final[frozenset[NodeKind]] = frozenset(
    {
        "local_variable_declaration", "expression_statement", "return_statement", "throw_statement", "if_statement",
        "while_statement", "for_statement", "enhanced_for_statement", "do_statement", "try_statement",
        "try_with_resources_statement", "synchronized_statement", "labeled_statement", "yield_statement",
        "assert_statement", "break_statement", "continue_statement", "explicit_constructor_invocation",
    }
)  # fmt: skip
_EXITS: Final[frozenset[NodeKind]] = frozenset(
    {"return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"}
)
_LEAVES: Final[frozenset[NodeKind]] = frozenset({"return_statement", "throw_statement"})
_LOOPS: Final[frozenset[NodeKind]] = frozenset(
    {"while_statement", "for_statement", "enhanced_for_statement", "do_statement"}
)
_CONDITIONAL: Final[frozenset[NodeKind]] = frozenset({"if_statement", *_LOOPS})
_TRIES: Final[frozenset[NodeKind]] = frozenset({"try_statement", "try_with_resources_statement"})
_AROUND: Final[frozenset[NodeKind]] = frozenset({"try_statement", "labeled_statement", "synchronized_statement"})
"""Statements that take no values themselves."""
_COLLECTION: Final = re.compile(r"new \w*(?:List|Set|Map|Deque|Queue)\s*(?:<.*>)?\s*\(\)$", re.DOTALL)
_FILLING: Final = frozenset(
    {"add", "addAll", "put", "putAll", "push", "offer", "sort", "replaceAll", "removeIf", "clear"}
)
_ORDERING: Final = frozenset({"sort", "reverse", "shuffle"})
_FAR: Final = 1 << 40
_BLOCKS: Final[frozenset[NodeKind]] = frozenset({"block", "constructor_body"})
_LATER: Final[frozenset[NodeKind]] = frozenset({"lambda_expression", "class_body"})

_LOGS: Final = re.compile(r"(?:this\.)?(?:LOG|LOGGER|log|logger|Log|System\.(?:out|err))\.\w+\(")


_NO_EFFECT: Final = frozenset({"signalAlreadyCommitted", "signalFailedWithKnownReason", "updateAndRetryLater"})
"""Calls that say what became of a committable, and commit nothing."""
_CHANGES: Final = frozenset({"add", "addAll", "update", "put", "putAll", "clear", "remove"})
"""Methods of states that change what these hold."""


@dataclass(frozen=True)
class Around:
    """What is known outside of a body."""

    by_flink: bool
    """Flink calls it, and gives elements that are not null."""
    values: Values
    """What names in it stand for."""
    idle: Callable[[Node], bool]
    """Whether a call of the program's code does nothing."""
    own: str = ""
    """A state: values that go into it only go nowhere."""


def outcomes_of(node: Node, around: Around) -> Mapping[int, Outcome]:
    """What becomes of each statement of a declaration, by where it begins in its file."""
    body = part(node, "body")
    if body is None:
        return {}
    parameters = part(node, "parameters") if around.by_flink else None
    given = (
        frozenset(text(part(p, "name")) for p in parameters.named_children) if parameters is not None else frozenset()
    )
    reader = _Reader(body, given, around)
    return {n.start_byte: Outcome(runs, reader.goes[n.id]) for n, runs in reader.found()}


class _Reader:
    """The statements of one body. ``never_null`` are parameters that Flink gives."""

    def __init__(self, body: Node, never_null: frozenset[str], around: Around) -> None:
        self._values, self._never_null, self._around = around.values, never_null, around
        self.runs: dict[int, Runs] = {}
        """By the identity of a statement's node."""
        self._nodes: list[Node] = []
        self._visit(body, Runs.ALWAYS)
        self.goes: dict[int, Goes] = dict.fromkeys(self.runs, Goes.NOWHERE)
        self._mentions = self._mentioned()
        self._fresh = {
            text(part(n, "name"))
            for node in self._nodes
            for n in node.named_children
            if n.type == "variable_declarator" and _made_here(part(n, "value"))
        }
        """Local variables for collections that are made here."""
        pending = True
        while pending:  # values only go further
            pending = False
            for node in reversed(self._nodes):
                goes = self._goes_of(node)
                if goes > self.goes[node.id]:
                    self.goes[node.id] = goes
                    pending = True

    def found(self) -> Iterator[tuple[Node, Runs]]:
        """The statements, and how they run."""
        return ((node, self.runs[node.id]) for node in self._nodes)

    # -- whether they run ----------------------------------------------------------------------------------------

    def _visit(self, node: Node, runs: Runs) -> Runs:
        """Note how a node's statements run. Returns whether what follows it runs, where the node does."""
        if node.type in STATEMENTS:
            self.runs[node.id] = runs
            self._nodes.append(node)
        if node.type in _BLOCKS:
            return self._in_order(node, runs)
        if node.type in ("synchronized_statement", "labeled_statement"):
            return min((self._visit(child, runs) for child in node.named_children), default=Runs.ALWAYS)
        if node.type == "if_statement":
            return self._branches(node, runs)
        if node.type in _TRIES:
            return self._tried(node, runs)
        known = truth(part(node, "condition"), self._values, self._never_null) if node.type in _LOOPS else None
        never = known is False and node.type != "do_statement"
        inside = Runs.NEVER if never else min(runs, Runs.SOMETIMES)
        for child in node.named_children:
            self._visit(child, inside)
        if node.type in _EXITS:
            return Runs.NEVER
        return Runs.SOMETIMES if not never and node.type not in STATEMENTS - _LOOPS and _leaves(node) else Runs.ALWAYS

    def _in_order(self, block: Node, runs: Runs) -> Runs:
        follows = Runs.ALWAYS
        for child in block.named_children:
            if child.type not in COMMENTS:
                follows = min(follows, self._visit(child, min(runs, follows)))
        return follows

    def _branches(self, node: Node, runs: Runs) -> Runs:
        known = truth(part(node, "condition"), self._values, self._never_null)
        sides = [part(node, "consequence"), part(node, "alternative")]
        condition = part(node, "condition")
        if condition is not None:
            self._visit(condition, runs)
        follow = []
        for side, taken in zip(sides, (True, False), strict=True):
            inside = min(runs, Runs.SOMETIMES) if known is None else runs if known is taken else Runs.NEVER
            follows = self._visit(side, inside) if side is not None else Runs.ALWAYS
            if known is None or known is taken:
                follow.append(follows)
        return follow[0] if min(follow) == max(follow) else Runs.SOMETIMES

    def _tried(self, node: Node, runs: Runs) -> Runs:
        follows, caught, last = Runs.ALWAYS, [Runs.NEVER], Runs.ALWAYS
        for child in node.named_children:
            if child.type == "catch_clause":
                caught.append(min(self._visit(c, min(runs, Runs.SOMETIMES)) for c in child.named_children))
            elif child.type == "finally_clause":
                last = min((self._visit(c, runs) for c in child.named_children), default=Runs.ALWAYS)
            else:
                follows = min(follows, self._visit(child, runs))
        if follows is Runs.NEVER and max(caught) is not Runs.NEVER:
            follows = Runs.SOMETIMES
        return min(follows, last)

    # -- where values go -----------------------------------------------------------------------------------------

    def _mentioned(self) -> Mapping[str, list[Node]]:
        """The statements that mention a name, by the name."""
        return gathered((name, node) for node in self._nodes for name in _names_in(own_nodes_of(node)))

    def _goes_of(self, node: Node) -> Goes:
        if self.runs[node.id] is Runs.NEVER or _LOGS.match(text(node)) or self._does_nothing(node):
            return Goes.NOWHERE
        if node.type == "return_statement":
            return Goes.RETURNED if node.named_children else Goes.SOMEWHERE
        if node.type in _CONDITIONAL:
            return max((self.goes[n.id] for n in walk(node) if n.id in self.goes and n != node), default=Goes.NOWHERE)
        if node.type == "local_variable_declaration":
            names = [text(part(n, "name")) for n in node.named_children if n.type == "variable_declarator"]
            return max((self._of_local(name, node) for name in names), default=Goes.NOWHERE)
        target = _assigned(node)
        if target is not None and self._is_local(target, node):
            return self._of_local(target, node)
        into = _filled(node)
        if into is not None and into in self._fresh:
            return self._of_local(into, node)
        return Goes.NOWHERE if node.type in _AROUND else Goes.SOMEWHERE

    def _does_nothing(self, node: Node) -> bool:
        """Whether a statement is a call that does nothing, or changes only the state in question."""
        call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        if call is None or call.type != "method_invocation":
            return False
        if text(part(call, "name")) in _NO_EFFECT:
            return True
        own, receiver = self._around.own, text(part(call, "object"))
        if own and receiver.removeprefix("this.") == own and text(part(call, "name")) in _CHANGES:
            return True
        return self._around.idle(call)

    def _of_local(self, name: str, setting: Node) -> Goes:
        """Where the value goes that a statement sets a local variable to."""
        end = _overwritten(setting, name)
        using = (n for n in self._mentions.get(name, ()) if n != setting and n.start_byte < end and _uses(n, name))
        return max((self.goes[node.id] for node in using), default=Goes.NOWHERE)

    def _is_local(self, name: str, node: Node) -> bool:
        return any(
            text(part(n, "name")) == name
            for statement in self._nodes
            if statement.type == "local_variable_declaration"
            for n in statement.named_children
            if n.type == "variable_declarator"
        )


def own_nodes_of(statement: Node) -> Iterator[Node]:
    """The nodes of a statement without those of statements inside of it."""
    pending = list(reversed(statement.children))
    while pending:
        node = pending.pop()
        if node.type not in STATEMENTS:
            yield node
            pending.extend(reversed(node.children))


def _leaves(node: Node) -> bool:
    """Whether something inside of a node leaves the method."""
    pending = list(node.named_children)
    while pending:
        current = pending.pop()
        if current.type in _LEAVES:
            return True
        if current.type not in _LATER:
            pending.extend(current.named_children)
    return False


def _assigned(node: Node) -> str | None:
    """The name that a statement sets, None where it does something else."""
    made = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if made is None:
        return None
    if made.type == "assignment_expression":
        target = part(made, "left")
    elif made.type == "update_expression":
        target = made.named_children[0]
    else:
        return None
    return text(target) if target is not None and target.type == "identifier" else None


def _made_here(value: Node | None) -> bool:
    """Whether an expression makes an empty collection."""
    return value is not None and _COLLECTION.match(text(value)) is not None


def _filled(node: Node) -> str | None:
    """The name of the collection that a statement does nothing but to fill, to order or to empty."""
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if call is None or call.type != "method_invocation":
        return None
    receiver, name = part(call, "object"), text(part(call, "name"))
    if name in _FILLING and receiver is not None and receiver.type == "identifier":
        return text(receiver)
    given = part(call, "arguments")
    if name in _ORDERING and text(receiver) == "Collections" and given is not None:
        return text(given.named_children[0])
    reference = given.named_children[0] if given is not None and len(given.named_children) == 1 else None
    if name == "forEach" and reference is not None and reference.type == "method_reference":
        return text(reference).partition("::")[0].strip()
    return None


def _uses(node: Node, name: str) -> bool:
    """Whether a statement does more with a local variable than to set or fill it."""
    if _filled(node) == name:
        call = node.named_children[0]
        arguments = part(call, "arguments")
        return arguments is not None and text(part(call, "object")) == name and name in _names(arguments)
    made = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if _assigned(node) == name and made is not None and made.type == "assignment_expression":
        right = part(made, "right")
        return text(part(made, "operator")) != "=" or (right is not None and name in _names(right))
    if node.type == "local_variable_declaration":
        return any(
            name in _names(value)
            for n in node.named_children
            if n.type == "variable_declarator" and (value := part(n, "value")) is not None
        )
    return True


def _names(node: Node) -> set[str]:
    return _names_in(walk(node))


def _names_in(nodes: Iterable[Node]) -> set[str]:
    """The variables among some nodes: members and methods of other objects are none."""
    return {text(n) for n in nodes if n.type == "identifier" and not is_of_object(n)}


def _overwritten(setting: Node, name: str) -> int:
    """Where a variable gets another value, whatever it was set to here."""
    for node, block in pairwise((setting, *above(setting, *_LOOPS, *_LATER))):
        if block.type in _BLOCKS:
            for sibling in block.named_children:
                if sibling.start_byte > node.start_byte and _assigned(sibling) == name and not _uses(sibling, name):
                    return sibling.start_byte
    return setting.end_byte + _FAR
