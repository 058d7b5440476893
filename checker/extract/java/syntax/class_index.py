"""All classes of one revision by name, parsed only when somebody asks for them.

Contract: ``ClassIndex(files)`` reads nothing. ``find("com.acme.Outer.Inner")`` looks for a file that declares
``Outer`` in ``com.acme`` (the module nearest to the asking file wins, test sources lose), whatever the file and its
folder are called. ``resolve("Inner", scope)`` follows Java's order: type
variables, nested and inherited member types of the enclosing classes, the unit's own types, single imports, same
package, imports on demand, ``java.lang``. Its result is

- a ``ClassDecl`` for a class of the repository,
- an ``External`` for any other, with all qualified names that it can have (one, unless on-demand imports leave
  several), to be tried against tables,
- ``None`` for a type variable or a primitive.

``ancestors(decl)`` yields all supertypes, nearest first, each as ``ClassDecl`` or ``External``. ``used_paths`` is
every file that was read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from checker.extract.asking.consulted import ask, plain
from checker.extract.java.syntax.compilation_unit import CompilationUnit, anonymous_bodies, parsed
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.tree import Node
from checker.extract.java.syntax.type_refs import JAVA_LANG, JAVA_UTIL, TypeRef
from checker.extract.paths import in_tests, module_of
from checker.extract.unfollowed.found_beside import found_beside
from checker.model.sources import SourceFiles

_TUPLE = re.compile(r"Tuple\d*")
_TUPLES = "org.apache.flink.api.java.tuple"
PRIMITIVES = frozenset({"int", "long", "short", "byte", "char", "float", "double", "boolean", "void", "var"})


@dataclass(frozen=True)
class External:
    """A class outside of the repository: every qualified name that it can have, likeliest first."""

    candidates: tuple[str, ...]

    @property
    def name(self) -> str:
        """The likeliest qualified name."""
        return self.candidates[0]

    @cached_property
    def simple(self) -> str:
        """The last part of its name: asked for by whatever may know the class, at each of its calls."""
        return self.candidates[0].rpartition(".")[2]


Resolved: TypeAlias = ClassDecl | External | None


class ClassIndex:
    """Finds and resolves the classes of one revision."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self._units: dict[str, CompilationUnit] = {}
        self._found: dict[tuple[str, str], ClassDecl | None] = {}
        self._resolved: dict[tuple[int, str], Resolved] = {}
        self._anonymous: dict[tuple[str, int], ClassDecl] = {}
        self._anonymous_places: dict[int, list[int]] = {}
        self._implementations: dict[tuple[int, int], list[ClassDecl]] = {}
        self._supertypes: dict[int, tuple[ClassDecl, tuple[tuple[TypeRef, Resolved], ...]]] = {}
        """By a class' identity, with the class to keep it alive."""
        self._ancestors: dict[int, tuple[ClassDecl | External, ...]] = {}
        """By the identity of classes in ``_supertypes``."""
        self._resolving: set[int] = set()
        """Classes whose supertypes are being resolved: inherited member types can't take part in that."""
        self.used_paths: set[str] = set()

    # -- files ---------------------------------------------------------------------------------------------------

    def ask(self, question: str, argument: str = "") -> tuple[str, ...]:
        """The answer to a question about all files of the revision (see ``consulted``)."""
        return ask(self._files, question, argument)

    def read(self, path: str) -> bytes:
        """A file's bytes, remembered as used."""
        self.used_paths.add(path)
        return self._files.read(path)

    def look_at(self, path: str) -> bytes:
        """A file's bytes, of which the program takes nothing by this."""
        return self._files.read(path)

    def content_id(self, path: str) -> str:
        """What a file's content is known by; the file counts as used."""
        self.used_paths.add(path)
        return self._files.content_id(path)

    def unit(self, path: str) -> CompilationUnit:
        """The parsed file. Raises KeyError when the revision has no such file."""
        found = self._units.get(path)
        if found is None:
            found = self._units[path] = parsed(path, self.content_id(path), plain(self._files).read)
        return found

    def found_beside(self, path: str) -> frozenset[str]:
        """The files whose classes a container may find for the program in a file, and that file."""
        return found_beside(self._files, path, frozenset({path})) | {path}

    def unit_of(self, decl: ClassDecl) -> CompilationUnit:
        """The compilation unit that declares a class."""
        return self.unit(decl.unit.path)

    # -- by qualified name ---------------------------------------------------------------------------------------

    def find(self, qualified: str, near: str = "") -> ClassDecl | None:
        """The class of that qualified name (nested classes joined with ``.`` or ``$``), None if not in the revision.

        ``near`` is the path of the file that asks.
        """
        name = qualified.replace("$", ".")
        module = module_of(near)
        key = (name, module)
        if key not in self._found:
            self._found[key] = self._find(name, near)
        return self._found[key]

    def _find(self, name: str, near: str) -> ClassDecl | None:
        around, _, simple = name.rpartition(".")
        decl = next(self._declared(around.split(".") if around else [], simple, near), None)
        if decl is not None or not around:
            return decl
        outer = self.find(around, near)  # once for all names that may be nested in it
        return outer.nested.get(simple) if outer is not None else None

    def namesakes(self, qualified: str, near: str) -> list[ClassDecl]:
        """All classes of that qualified name that the revision has, the nearest first: ``find`` gives one of them."""
        around, _, simple = qualified.replace("$", ".").rpartition(".")
        found = {decl.unit.path: decl for decl in self._declared(around.split(".") if around else [], simple, near)}
        outer = self.namesakes(around, near) if around and not found else ()
        return [*found.values()] or [decl.nested[simple] for decl in outer if simple in decl.nested]

    def _declared(self, package: list[str], simple: str, near: str) -> Iterator[ClassDecl]:
        dotted = ".".join(package)
        for path in sorted(self.ask("class", f"{dotted}.{simple}"), key=lambda candidate: _distance(near, candidate)):
            apart = not package and path.rpartition("/")[0] != near.rpartition("/")[0]
            if apart and path.rpartition("/")[2] != f"{simple}.java":
                continue  # programs without packages declare types of one name
            unit = self.unit(path)
            if unit.package == dotted and simple in unit.types:
                yield unit.types[simple]

    # -- by simple name ------------------------------------------------------------------------------------------

    def resolve_type(self, ref: TypeRef | None, scope: ClassDecl) -> Resolved:
        """What a written type names; arrays resolve to their element's class."""
        return self.resolve(ref.name, scope) if ref is not None else None

    def resolve(self, name: str, scope: ClassDecl) -> Resolved:
        """What a name means inside of a class."""
        key = (id(scope), name)
        if key not in self._resolved or scope.local_types:
            self._resolved[key] = self._resolve(name, scope)
        return self._resolved[key]

    def _resolve(self, name: str, scope: ClassDecl) -> Resolved:
        if name in PRIMITIVES or not name:
            return None
        first, _, rest = name.partition(".")
        head = self._resolve_simple(first, scope)
        if not rest:
            return head
        if isinstance(head, ClassDecl):
            inner = self._member_path(head, rest)
            if inner is not None:
                return inner
            return External((f"{head.qualified_name}.{rest}",))
        if first[:1].isupper() and head is not None:
            return External(tuple(f"{candidate}.{rest}" for candidate in head.candidates))
        found = self.find(name, scope.unit.path)
        return found if found is not None else External((name,))

    def _member_path(self, decl: ClassDecl, path: str) -> ClassDecl | None:
        current: ClassDecl | None = decl
        for part in path.split("."):
            current = self.member_type(current, part) if current is not None else None
        return current

    def member_type(self, decl: ClassDecl, name: str) -> ClassDecl | None:
        """A member type of the class, declared or inherited."""
        found = decl.nested.get(name)
        if found is not None:
            return found
        for ancestor in self.ancestors(decl):
            if isinstance(ancestor, ClassDecl) and name in ancestor.nested:
                return ancestor.nested[name]
        return None

    def _resolve_simple(self, name: str, scope: ClassDecl) -> Resolved:
        for current in scope.outward():
            if name in current.type_variables:
                return None
            if name in current.local_types:
                return current.local_types[name]
            if current.name == name and current.kind is not ClassKind.ANONYMOUS:
                return current
            if current.kind is not ClassKind.ANONYMOUS or current.nested:
                member = current.nested.get(name)
                if member is None and id(current) not in self._resolving:
                    member = self.member_type(current, name)
                if member is not None:
                    return member
        return self._resolve_in_unit(name, scope)

    def _resolve_in_unit(self, name: str, scope: ClassDecl) -> Resolved:
        unit = self.unit_of(scope)
        if name in unit.types:
            return unit.types[name]
        near = unit.path
        imported = unit.single_imports.get(name)
        if imported is None and name in unit.static_imports:
            for owner in unit.static_imports[name]:
                found = self.find(f"{owner}.{name}", near)
                if found is not None:
                    return found
        if imported is not None:
            return self.find(imported, near) or External((imported,))
        same = self.find(f"{unit.package}.{name}" if unit.package else name, near)
        if same is not None:
            return same
        for package in unit.on_demand if self.ask("declaring", name) else ():  # one question for all packages
            found = self.find(f"{package}.{name}", near)
            if found is not None:
                return found
        if name in JAVA_LANG:
            return External((f"java.lang.{name}",))
        holder = _TUPLES if _TUPLE.fullmatch(name) else "java.util" if name in JAVA_UTIL else ""
        packages = sorted(unit.on_demand, key=lambda package: package != holder)
        candidates = tuple(f"{package}.{name}" for package in packages)
        return External(candidates or (f"{unit.package}.{name}" if unit.package else name,))

    # -- hierarchy -----------------------------------------------------------------------------------------------

    def supertypes(self, decl: ClassDecl) -> tuple[tuple[TypeRef, Resolved], ...]:
        """Direct supertypes as written and resolved, the superclass first."""
        scope = decl.outer if decl.kind is ClassKind.ANONYMOUS and decl.outer is not None else decl
        lasting = not scope.local_types
        known = self._supertypes.get(id(decl)) if lasting else None
        if known is not None:
            return known[1]
        refs = ([decl.superclass] if decl.superclass is not None else []) + list(decl.interfaces)
        lasting = lasting and not self._resolving
        self._resolving.add(id(decl))
        try:
            found = tuple((ref, self.resolve_type(ref, scope)) for ref in refs)
        finally:
            self._resolving.discard(id(decl))
        if lasting:
            self._supertypes[id(decl)] = decl, found
        return found

    def superclass(self, decl: ClassDecl) -> Resolved:
        """The class that it extends, None where none is written (or it names an interface)."""
        if decl.superclass is None:
            return None
        found = self.supertypes(decl)[0][1]
        if isinstance(found, ClassDecl) and found.kind is ClassKind.INTERFACE:
            return None
        return found

    def ancestors(self, decl: ClassDecl) -> Iterator[ClassDecl | External]:
        """All supertypes, breadth first, each once, the class itself left out."""
        known = self._ancestors.get(id(decl))
        if known is not None:
            yield from known
            return
        found: list[ClassDecl | External] = []
        for ancestor in self._all_above(decl):
            found.append(ancestor)
            yield ancestor
        if all(id(a) in self._supertypes for a in (decl, *found) if isinstance(a, ClassDecl)):
            self._ancestors[id(decl)] = tuple(found)

    def _all_above(self, decl: ClassDecl) -> Iterator[ClassDecl | External]:
        pending: list[ClassDecl | External] = [decl]
        seen: set[str] = {decl.qualified_name}
        while pending:
            current = pending.pop(0)
            if isinstance(current, External):
                continue
            for _, parent in self.supertypes(current):
                if parent is None:
                    continue
                name = parent.qualified_name if isinstance(parent, ClassDecl) else parent.name
                if name not in seen:
                    seen.add(name)
                    pending.append(parent)
                    yield parent

    def lineage(self, decl: ClassDecl) -> list[ClassDecl]:
        """The class and its ancestors of the repository, nearest first."""
        return [decl, *(a for a in self.ancestors(decl) if isinstance(a, ClassDecl))]

    def names_above(self, decl: ClassDecl) -> frozenset[str]:
        """The simple names of all supertypes."""
        return frozenset(a.name if isinstance(a, ClassDecl) else a.simple for a in self.ancestors(decl))

    def implementations(self, decl: ClassDecl, limit: int = 20) -> list[ClassDecl]:
        """Concrete classes of the revision below an interface or abstract class, tests left out."""
        key = (id(decl), limit)
        if key not in self._implementations:
            self._implementations[key] = self._below(decl, limit)
        return self._implementations[key]

    def _below(self, decl: ClassDecl, limit: int) -> list[ClassDecl]:
        found: list[ClassDecl] = []
        pending, seen = [decl], {decl.qualified_name}
        while pending and len(found) < limit:
            current = pending.pop(0)
            for candidate in self._direct_subtypes(current):
                if candidate.qualified_name not in seen:
                    seen.add(candidate.qualified_name)
                    pending.append(candidate)
                    if not candidate.abstract:
                        found.append(candidate)
        return found

    def _direct_subtypes(self, decl: ClassDecl) -> Iterator[ClassDecl]:
        for path in self.ask("below", decl.name):
            if in_tests(path) and not in_tests(decl.unit.path):
                continue
            for candidate in self.unit(path).by_name.values():
                if any(parent is decl for _, parent in self.supertypes(candidate)):
                    yield candidate

    def anonymous(self, node: Node, scope: ClassDecl) -> ClassDecl:
        """The anonymous class of a ``new T(...) { }`` expression (or an enum constant's body) inside of ``scope``."""
        key = (scope.unit.path, node.start_byte)
        found = self._anonymous.get(key)
        if found is None:
            if id(scope) not in self._anonymous_places:
                self._anonymous_places[id(scope)] = anonymous_bodies(scope)
            places = self._anonymous_places[id(scope)]
            name = f"${places.index(node.start_byte) + 1 if node.start_byte in places else len(places) + 1}"
            found = ClassDecl(scope.unit, node.start_byte, ClassKind.ANONYMOUS, name, scope.package, scope, given=node)
            self._anonymous[key] = found
        return found


def _distance(near: str, path: str) -> tuple[int, int, str]:
    """Smaller is nearer: no tests unless asked from tests, then the longest common folder."""
    tests = in_tests(path) and not in_tests(near)
    common = 0
    for left, right in zip(near.split("/"), path.split("/"), strict=False):
        if left != right:
            break
        common += 1
    return (int(tests), -common, path)
