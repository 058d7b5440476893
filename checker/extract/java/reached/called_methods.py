"""Which methods of the repository calls and method references may mean: by names, arguments and receivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field, is_of_object, returned_field
from checker.extract.java.syntax.tree import Node, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref

_OF_JAVA = ("java.lang.", "java.util.", "java.io.", "java.time.")
_OF_OBJECTS = frozenset({"toString", "hashCode", "equals", "compareTo"})
"""Methods that every class may have: which one runs is known by the receiver's class only."""


class CalledMethods:
    """The methods of some classes, as calls in them mean them."""

    def __init__(self, types: Iterable[ClassDecl], index: ClassIndex) -> None:
        self._index = index
        self._methods: dict[str, list[MethodDecl]] = {}
        for method in (method for decl in types for method in decl.methods):
            self._methods.setdefault(method.name, []).append(method)

    @property
    def names(self) -> Iterable[str]:
        """The names of all methods."""
        return self._methods.keys()

    def called(self, name: str) -> list[MethodDecl]:
        """All methods of a name."""
        return self._methods.get(name, [])

    def is_computing(self, name: str) -> bool:
        """Whether a method without parameters does more than return a field."""
        return any(
            method.body is not None and not method.parameters and not returned_field(method)
            for method in self.called(name)
        )

    def named(self, node: Node, owner: ClassDecl) -> Iterator[tuple[MethodDecl | None, Node]]:
        """The code of the repository that the code of a class names directly: methods with bodies, fields' values."""
        for inner in walk(node):
            if inner.type == "method_invocation":
                called = self.callees(inner, owner)
            elif inner.type == "method_reference":
                called = [method for method, _ in self.referred(inner, owner)]
            elif inner.type == "object_creation_expression":
                made = part(inner, "type")
                decl = self._index.resolve_type(type_ref(made), owner) if made is not None else None
                called = list(decl.constructors) if isinstance(decl, ClassDecl) else []
            else:
                declared = owner.fields.get(text(inner)) if inner.type == "identifier" else None
                if declared is not None and declared.value is not None:
                    yield None, declared.value
                continue
            yield from ((method, method.body) for method in called if method.body is not None)

    def callees(self, node: Node, owner: ClassDecl) -> list[MethodDecl]:
        """The methods of the repository that a call may mean, by name, number of arguments and the receiver's class."""
        receiver, name, count = part(node, "object"), text(part(node, "name")), len(arguments_of(node))
        return self._meant(receiver, name, [m for m in self.called(name) if len(m.parameters) == count], owner)

    def referred(self, node: Node, owner: ClassDecl) -> list[tuple[MethodDecl, int]]:
        """The methods of the repository that a method reference may mean.

        Each with the number of the function's argument that is its first: 1 where the object itself is argument 0.
        """
        before, _, name = text(node).rpartition("::")
        named = self._index.resolve(before.strip().partition("<")[0], owner)
        found = self.called(name.strip())
        if isinstance(named, ClassDecl):
            if name.strip() == "new":
                return [(constructor, 0) for constructor in named.constructors]
            return [(m, 0 if m.static else 1) for m in found if self.kin(m.owner, named)]
        return [(m, 0) for m in self._meant(children(node)[0], name.strip(), found, owner)]

    def _meant(self, receiver: Node | None, name: str, found: list[MethodDecl], owner: ClassDecl) -> list[MethodDecl]:
        if receiver is None or receiver.type in ("this", "super"):
            near = {a.qualified_name for a in self._index.lineage(owner)[1:]}
            if receiver is None or receiver.type == "this":
                near.update(decl.qualified_name for decl in owner.outward())
            own = [m for m in found if m.owner.qualified_name in near]
            if receiver is None or receiver.type == "this":
                own += [m for m in found if m not in own and self._overrides(m, own)]
            imported = self._index.unit_of(owner).static_imports.get(name, ())
            return own or [m for m in found if m.static and m.owner.qualified_name in imported]
        if name in _OF_OBJECTS and receiver.type != "identifier":
            return []
        if receiver.type == "identifier" and text(receiver)[:1].isupper():
            return [m for m in found if m.owner.name == text(receiver)]
        kind = self.kind_of(receiver, owner) if receiver.type == "identifier" else None
        if kind is not None:
            return [m for m in found if self._may_be(m.owner, kind)]
        if receiver.type == "method_invocation":
            found = [m for m in found if not m.static]
        return found if len(found) <= 3 else []

    def kind_of(self, variable: Node, owner: ClassDecl) -> ClassDecl | External | None:
        """The class that a variable is declared with, of the repository or of Java's library."""
        local = find_local(variable, text(variable))
        declared = None if local is not None else find_field(self._index, owner, text(variable))
        written, scope = (declared.type, declared.owner) if declared is not None else (local and local[1], owner)
        kind = self._index.resolve_type(written, scope) if written is not None else None
        return kind if isinstance(kind, ClassDecl) or (kind is not None and kind.name.startswith(_OF_JAVA)) else None

    def class_with(self, name: Node, owner: ClassDecl) -> ClassDecl | None:
        """The class of the repository that has the member which a name in the code of a class means, if known."""
        receiver = part(name.parent, "object") if name.parent is not None and is_of_object(name) else None
        if receiver is None or receiver.type == "this":
            declared = find_field(self._index, owner, text(name))
            return declared.owner if declared is not None else None
        kind = self.kind_of(receiver, owner) if receiver.type == "identifier" else None
        return kind if isinstance(kind, ClassDecl) else None

    def _may_be(self, owner: ClassDecl, kind: ClassDecl | External) -> bool:
        """Whether objects of a class can stand in a variable of another one."""
        if isinstance(kind, ClassDecl):
            return self.kin(owner, kind)
        above = [a for a in self._index.ancestors(owner) if isinstance(a, External)]
        return kind.simple == "Object" or any(a.simple == kind.simple or a.name.startswith("java.util.") for a in above)

    def _overrides(self, method: MethodDecl, above: list[MethodDecl]) -> bool:
        """Whether a method takes the place of one of others, which do not run then, in a class below theirs."""
        owners = self._index.ancestors(method.owner) if above and not method.static else ()
        return any(m.owner in owners and not m.static for m in above)

    def kin(self, owner: ClassDecl, named: ClassDecl) -> bool:
        """Whether a method of ``owner`` may run where one of ``named`` is called."""
        return owner is named or named in self._index.ancestors(owner) or owner in self._index.ancestors(named)
