"""Digests of code: equal in two revisions where an expression, and all code that it can reach, reads alike.

What can't be computed from the source is the same value only if it is derived from the same code and resources.
``Closures(index).of(node, scope)`` follows every name in the code to the repository's declarations: methods that a
call can mean with those that override them, fields with what is assigned to them, constructors of created objects,
enum constants, and files that a string names. Comments and layout don't count, variables count by their place and
constants by their value.
"""

from collections.abc import Iterable, Mapping

from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, of_class
from checker.extract.java.state.reachable_code import Walk
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, children
from checker.model.unknowns import Maybe


class Closures:
    """Digests of code of one revision."""

    def __init__(self, index: ClassIndex) -> None:
        self._index = index

    def of(self, node: Node, scope: ClassDecl, bound: Mapping[str, Maybe[str]] | None = None) -> str:
        """The digest of an expression; ``bound`` says what variables around it hold, as far as that is known."""
        walked = Walk(self._index, bound, None if bound is None else scope.outward())
        walked.add("#", node, scope)
        return walked.digest()

    def of_methods(self, methods: Iterable[MethodDecl]) -> str:
        """The digest of methods."""
        return self.of_all((m.node, m.owner) for m in methods)

    def of_class(self, decl: ClassDecl) -> str:
        """The digest of all code of a class and of its superclasses in the repository."""
        return self.of_all(((owner.node, owner) for owner in self._index.lineage(decl)), this=decl)

    def of_all(self, parts: Iterable[tuple[Node, ClassDecl]], this: ClassDecl | None = None) -> str:
        """One digest of several pieces of code, which are called on an object of class ``this``."""
        walked = Walk(self._index, this=this)
        for place, (node, scope) in enumerate(parts):
            walked.add(f"#{place:03}", node, scope)
        return walked.digest()

    def of_key(
        self,
        node: Node,
        scope: ClassDecl,
        parameter: Mapping[str, JavaType],
        bound: Mapping[str, Maybe[str]],
        this: ClassDecl | None = None,
    ) -> Maybe[str]:
        """The code of a selector: an expression or a block. ``bound`` says what variables and fields around it hold,
        ``this`` of which class the selector is.

        A text where all that it calls was found, else an Unknown.
        """
        walked = Walk(self._index, bound, scope.outward(), this)
        statements = children(node) if node.type == "block" else ()
        returned = children(statements[0]) if [s.type for s in statements] == ["return_statement"] else ()
        walked.add("#", returned[0] if returned else node, scope, parameter)
        return walked.key()

    def of_reference(self, owner: ClassDecl, name: str, bound: Mapping[str, Maybe[str]] | None) -> Maybe[str]:
        """The same of ``Owner::name``, or ``object::name`` where ``bound`` says what the object holds."""
        typer = Typer(self._index, owner)
        static = bound is None and any(m.static for m in typer.methods(of_class(owner), name, 1))
        count = int(static or bound is not None)
        called = f"$0 . {name} ( )" if not count else f"{name} ( $0 )"
        walked = Walk(self._index, bound or {}, () if bound is None else (owner,))
        walked.seen["#"] = f"{owner.name} . {called}" if static else called
        walked.call(typer, of_class(owner), name, count)
        return walked.key()
