"""Functions of the user by the name of their class: its declarations without bodies, or why there are none.

Flink derives the types of a function by reflection: signatures of its ``eval`` or ``accumulate`` methods, hints, type
arguments of its superclass, fields and constructors of its accumulator (``TypeInferenceExtractor``,
``DataTypeExtractor``). A class with the same declarations and empty bodies gives the same answers.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from checker.extract.java.syntax import tree
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.compilation_unit import CompilationUnit
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.type_refs import BOXES, modifiers
from checker.extract.paths import module_of
from checker.model.sources import SourceFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSource:
    """One class that functions are made of. ``units`` is Java source without bodies: (file name, text).

    ``name`` is how the statement calls it.

    ``failure`` says why the class can't be declared: what uses it is undecided.
    """

    name: str
    units: tuple[tuple[str, str], ...] = ()
    failure: str | None = None
    files: tuple[str, ...] = ()
    """The files of the repository that declare it."""

    def record(self) -> dict[str, Any]:
        """As the planner's process takes it."""
        return {"class": self.name, "units": [list(unit) for unit in self.units], "failure": self.failure}


CALLED_BY_FLINK = frozenset(
    {"eval", "accumulate", "retract", "merge", "resetAccumulator", "createAccumulator", "getValue", "emitValue",
     "emitUpdateWithRetract", "onTimer"}
)  # fmt: skip
_SETTINGS = frozenset({"isDeterministic", "supportsConstantFolding"})
_DECIDING = frozenset({"getTypeInference", "getRequirements", "specialize", "getKind", "getChangelogMode"})
"""Methods whose result decides how a call is planned: their bodies would have to run."""
_HINTS = frozenset({"FunctionHint", "FunctionHints", "DataTypeHint", "ArgumentHint", "ArgumentHints", "StateHint"})
_LOMBOK = frozenset({"Data", "Getter", "Setter", "Value", "Accessors"})
_FLINK = ("java.", "javax.", "org.apache.flink.")
_CONSTANT = frozenset(
    {"string_literal", "decimal_integer_literal", "decimal_floating_point_literal", "character_literal", "true",
     "false", "binary_expression", "parenthesized_expression", "identifier", "field_access", "string_fragment",
     "hex_integer_literal", "unary_expression", "escape_sequence"}
)  # fmt: skip
_CLASS_NAME = re.compile(r"(?:[\w$]+\.)*?[A-Z][\w$]*(?:\.[A-Z][\w$]*)*")
_CALLED = "checker.Called"
_READ_OTHERWISE = re.compile(r"\\\\|\\u+00([0-7][0-9a-fA-F])|\r")
"""What the compiler takes for the end of a string or a comment, and the parser does not: see JLS 3.3 and 3.4."""


class NotDeclaredError(Exception):
    """The class can't be declared without running its code; the message says why."""


def skeletons(index: ClassIndex, wanted: Sequence[tuple[str, ClassDecl]]) -> list[FunctionSource]:
    """The declarations of functions' classes and of all classes of the repository that they name.

    ``wanted`` are (name that asks, class). Functions that share a file get the same text of it: with all that any of
    them needs, for a class and those inside of it have to be compiled together.
    """
    found = []
    together = _Collector(index)
    for name, decl in wanted:
        alone = _Collector(index)
        try:
            alone.add(decl)
            units = alone.units()
        except NotDeclaredError as error:
            failure = f"the function '{name}': {error}"
            found.append(FunctionSource(name=name, failure=failure, files=(decl.unit.path,)))
            continue
        paths = tuple(dict.fromkeys(needed.unit.path for needed in alone.needed.values()))
        found.append(FunctionSource(name=name, units=units, files=paths))
        together.add(decl)
    texts = dict(together.units())
    return [replace(skeleton, units=tuple((name, texts[name]) for name, _ in skeleton.units)) for skeleton in found]


@dataclass
class _Collector:
    """The classes that a function's declarations name, each with the role that decides what is kept of it."""

    index: ClassIndex
    needed: dict[str, ClassDecl] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    _bodies: dict[str, list[str]] = field(default_factory=dict)

    def add(self, decl: ClassDecl) -> None:
        """A class that is asked for: a function, or a class of values, whose methods Flink does not call."""
        if any(
            isinstance(ancestor, External) and ancestor.simple.endswith("Function")
            for ancestor in self.index.ancestors(decl)
        ):
            for ancestor in (decl, *self.index.ancestors(decl)):  # superclasses may declare what Flink calls
                if isinstance(ancestor, ClassDecl) and ancestor.kind is not ClassKind.INTERFACE:
                    self.functions.add(ancestor.qualified_name)
                    self.needed.pop(ancestor.qualified_name, None)  # where it was met as another's outer class
        self._need(decl)

    def units(self) -> tuple[tuple[str, str], ...]:
        """The files: one for each top-level class."""
        tops: dict[str, ClassDecl] = {}
        for decl in self.needed.values():
            top = decl
            while top.outer is not None:
                top = top.outer
            tops[top.qualified_name] = top
        return tuple((f"{n.replace('.', '/')}.java", self._unit(top)) for n, top in sorted(tops.items()))

    def _need(self, decl: ClassDecl) -> None:
        if decl.qualified_name in self.needed:
            return
        if decl.local or decl.kind is ClassKind.ANONYMOUS:
            raise NotDeclaredError(f"the class {decl.name} is declared inside of a method")
        if tree.broken(decl.node):
            raise NotDeclaredError(f"the class {decl.name} does not parse")
        self.needed[decl.qualified_name] = decl
        self._bodies[decl.qualified_name] = list(self._members(decl))
        superclass = self.index.superclass(decl)
        if isinstance(superclass, ClassDecl):
            self._need(superclass)
            if decl.superclass is not None:
                self._names(_superclass_node(decl), decl)
        if decl.outer is not None:
            self._need(decl.outer)

    # -- what is kept of a class ---------------------------------------------------------------------------------

    def _members(self, decl: ClassDecl) -> Iterator[str]:
        for node in _annotations(decl.node):
            self._names(node, decl)
        yield from self._constants(decl)
        if decl.kind in (ClassKind.ENUM, ClassKind.INTERFACE, ClassKind.ANNOTATION):
            return
        if decl.qualified_name in self.functions:
            yield f"public {decl.name}() {{}}"
            yield from self._function_methods(decl)
        else:
            yield from self._data(decl)

    def _function_methods(self, decl: ClassDecl) -> Iterator[str]:
        for method in decl.methods:
            if method.name in _DECIDING and method.body is not None:
                raise NotDeclaredError(f"{decl.name} overrides {method.name}(), which decides how it is planned")
            if method.name in _SETTINGS and method.body is not None:
                yield f"@Override public boolean {method.name}() {{ return {_returned(method)}; }}"
            elif method.name in CALLED_BY_FLINK:
                yield self._method(method, decl)

    def _method(self, method: MethodDecl, decl: ClassDecl) -> str:
        parts = [self._hints(method.node, decl)]
        parts += sorted(method.modifiers - {"synchronized", "final", "native"})
        parts += [self._text(method.node.field("type_parameters"), decl)]
        parts += [self._text(method.node.field("type"), decl), method.name]
        parameters = ", ".join(self._parameters(method, decl))
        body = ";" if method.abstract else f'{{ throw {_CALLED}.byThePlanner("{decl.qualified_name}"); }}'
        return f"{' '.join(part for part in parts if part)}({parameters}) {body}"

    def _parameters(self, method: MethodDecl, decl: ClassDecl) -> Iterator[str]:
        holder = method.node.field("parameters")
        for node in children(holder) if holder is not None else ():
            if node.type not in ("formal_parameter", "spread_parameter"):
                continue
            left_out = ("modifiers", "line_comment", "block_comment")
            rest = [self._text(c, decl) for c in node.children if c.type not in left_out]
            yield " ".join(part for part in (self._hints(node, decl), *rest) if part)

    def _data(self, decl: ClassDecl) -> Iterator[str]:
        """A class of values: its fields, accessors and constructors."""
        if decl.kind is ClassKind.RECORD:
            for node in children(decl.node.field("parameters") or decl.node):
                self._names(node, decl)
            return
        generated = bool(decl.annotation_names & _LOMBOK)
        names = set()
        for declared in decl.fields.values():
            if declared.static:
                continue
            names.add(declared.name)
            marks = modifiers(declared.node)
            transient = "transient " if "transient" in marks else ""
            visible = "public" if generated or "public" in marks else "private"
            kind = self._text(declared.node.field("type"), decl)
            line = f"{visible} {transient}{kind} {declared.name}{_dimensions(declared)};"
            yield f"{self._hints(declared.node, decl)} {line}"
        yield from self._constructors(decl, names)
        for method in decl.methods:
            if _accessor(method, names) and not method.static and method.body is not None:
                yield self._method(method, decl)

    def _constructors(self, decl: ClassDecl, fields: set[str]) -> Iterator[str]:
        written = [m for m in decl.constructors if m.node.type == "constructor_declaration"]
        if not any(not m.parameters for m in written):
            yield f"public {decl.name}() {{}}" if not written else f"{decl.name}() {{}}"
        for constructor in written:
            names = {parameter.name for parameter in constructor.parameters}
            if names <= fields:
                visible = " ".join(sorted(constructor.modifiers))
                yield f"{visible} {decl.name}({', '.join(self._parameters(constructor, decl))}) {{}}"

    def _constants(self, decl: ClassDecl) -> Iterator[str]:
        """Constants of the language only: hints may be written with them, and javac computes them."""
        for declared in decl.fields.values():
            if not (declared.static and declared.final and declared.value is not None and _constant(declared.value)):
                continue
            if str(declared.type) in ("String", *BOXES):
                self._names(declared.value, decl)
                yield f"public static final {declared.type} {declared.name} = {text(declared.value)};"

    # -- text and the classes that it names ----------------------------------------------------------------------

    def _text(self, node: Node | None, scope: ClassDecl) -> str:
        if node is None:
            return ""
        self._names(node, scope)
        return text(node)

    def _hints(self, node: Node, scope: ClassDecl) -> str:
        found = []
        for annotation in _annotations(node):
            self._names(annotation, scope)
            found.append(text(annotation))
        return " ".join(found)

    def _names(self, node: Node, scope: ClassDecl) -> None:
        """Every class of the repository that a piece of source names."""
        for child in tree.walk(node):
            if child.type in ("type_identifier", "scoped_type_identifier", "identifier", "field_access"):
                match = _CLASS_NAME.match("".join(text(child).split()))
                resolved = self.index.resolve(match[0], scope) if match else None
                if isinstance(resolved, ClassDecl):
                    self._need(resolved)

    # -- the files -----------------------------------------------------------------------------------------------

    def _unit(self, top: ClassDecl) -> str:
        unit = self.index.unit_of(top)
        body = self._type(top)
        lines = [f"package {unit.package};"] if unit.package else []
        return _as_parsed("\n".join([*lines, *self._imports(unit, body), body]) + "\n")

    def _imports(self, unit: CompilationUnit, body: str) -> Iterator[str]:
        words = set(re.findall(r"[\w$]+", body))
        packages = {decl.package for decl in self.needed.values()}
        for import_ in unit.imports:
            last = import_.name.rpartition(".")[2]
            ours = import_.name.startswith(_FLINK) or import_.name in packages
            static = "static " if import_.static else ""
            if import_.on_demand and (ours or import_.name in self.needed):
                yield f"import {static}{import_.name}.*;"
            elif not import_.on_demand and last in words:
                owner = import_.name.rpartition(".")[0]
                if not import_.static or owner.startswith(_FLINK) or owner in self.needed:
                    yield f"import {static}{import_.name};"

    def _type(self, decl: ClassDecl) -> str:
        inner = [self._type(nested) for nested in decl.nested.values() if nested.qualified_name in self.needed]
        members = [*self._bodies.get(decl.qualified_name, ()), *inner]
        if decl.kind is ClassKind.ENUM:
            members.insert(0, ", ".join(enum_constant.name for enum_constant in decl.enum_constants) + ";")
        return f"{self._head(decl)} {{\n" + "\n".join(members) + "\n}"

    def _head(self, decl: ClassDecl) -> str:
        marks = sorted(decl.modifiers - {"sealed", "non-sealed", "final", "strictfp"})
        parts = [self._hints(decl.node, decl), *marks, "@interface" if decl.kind is ClassKind.ANNOTATION else decl.kind]
        parts.append(decl.name + text(decl.node.field("type_parameters")))
        if decl.kind is ClassKind.RECORD:
            parts[-1] += text(decl.node.field("parameters"))
        superclass = self.index.superclass(decl)
        if decl.kind is ClassKind.CLASS and superclass is not None:
            self._refuse_unseen(superclass, decl)
            parts.append(f"extends {text(_superclass_node(decl))}")
        return " ".join(str(part) for part in parts if part)

    def _refuse_unseen(self, superclass: object, decl: ClassDecl) -> None:
        if isinstance(superclass, External) and not any(c.startswith(_FLINK) for c in superclass.candidates):
            if decl.qualified_name in self.functions or not decl.fields:
                raise NotDeclaredError(f"{decl.name} extends {superclass.name}, which is not in the repository")
            raise NotDeclaredError(f"cannot tell the fields of {superclass.name}, which {decl.name} extends")


def _as_parsed(source: str) -> str:
    """Source that the compiler reads as the parser did, so that no text or comment of a repository becomes code."""

    def plain(found: re.Match[str]) -> str:
        return f"\\{int(found[1], 16):03o}" if found[1] else found[0].replace("\r", " ")

    return _READ_OTHERWISE.sub(plain, source)


def _superclass_node(decl: ClassDecl) -> Node:
    holder = decl.node.field("superclass")
    assert holder is not None
    return children(holder)[0]


def _annotations(node: Node) -> list[Node]:
    """The annotations of a declaration that Flink's type inference reads."""
    return [mark for name, mark in tree.annotations_of(node) if name in _HINTS]


def _dimensions(declared: FieldDecl) -> str:
    for child in children(declared.node):
        if child.type == "variable_declarator" and text(child.field("name")) == declared.name:
            return text(child.field("dimensions"))
    return ""


def _constant(node: Node) -> bool:
    return node.type in _CONSTANT and all(_constant(child) for child in children(node))


def _returned(method: MethodDecl) -> str:
    match = re.fullmatch(r"\{\s*return\s+(true|false)\s*;\s*\}", text(method.body))
    if match is None:
        raise NotDeclaredError(f"{method.owner.name}.{method.name}() is more than a constant")
    return match[1]


def _accessor(method: MethodDecl, fields: set[str]) -> bool:
    match = re.fullmatch(r"(?:get|is|set)(\w+)", method.name)
    name = match[1] if match else method.name
    named = {name, name[:1].lower() + name[1:]} & fields
    return bool(named) and len(method.parameters) <= 1


_OTHER_LANGUAGES = {".scala": "Scala", ".kt": "Kotlin"}


def function_sources(files: SourceFiles, wanted: Iterable[tuple[str, str]], near: str) -> tuple[FunctionSource, ...]:
    """The functions of the given (class, language), each once. Nested classes are joined with ``$`` or dots.

    ``near`` is the file that names them: of several classes of one name, that of its own module counts.
    """
    index = ClassIndex(files)
    found: list[FunctionSource] = []
    declared = []
    for name, language in dict.fromkeys(wanted):
        there = _candidates(index, name, near) if language != "python" else []
        if language == "python":
            found.append(FunctionSource(name=name, failure=f"the function '{name}' is written in Python"))
        elif not there:
            found.append(FunctionSource(name=name, failure=_missing(files, name)))
        elif len(there) > 1 and len({skeletons(index, [(name, decl)])[0].units for decl in there}) > 1:
            paths = " and in ".join(decl.unit.path for decl in there)
            why = f"cannot tell which function '{name}' {near} uses: it differs in {paths}"
            found.append(FunctionSource(name=name, failure=why, files=tuple(decl.unit.path for decl in there)))
        else:
            declared.append((name, there[0]))
    return (*found, *skeletons(index, declared))


def _candidates(index: ClassIndex, name: str, near: str) -> list[ClassDecl]:
    """The classes that a name may mean: those of the innermost module around ``near``, where it has any."""
    found = index.namesakes(name, near)
    modules = {module for decl in found if not (module := module_of(decl.unit.path)) or near.startswith(f"{module}/")}
    own = max(modules, key=len, default=None)
    return [decl for decl in found if own in (None, module_of(decl.unit.path))]


def _missing(files: SourceFiles, name: str) -> str:
    simple = name.rpartition(".")[2].partition("$")[0]
    for ending, language in _OTHER_LANGUAGES.items():
        if any(path.endswith(f"/{simple}{ending}") for path in files.paths()):
            return f"the function '{name}' is written in {language}, which is not read"
    return f"the function '{name}' is not in the repository"
