"""Command lines that fill annotated objects: JCommander, picocli and args4j.

Every annotated field or setter is an option. Where the arguments are not known it holds an unknown of the option's
name. Where they are, options by their full names with one value each are read; what else they may mean is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from checker.extract.java.interpreter import effects, names
from checker.extract.java.library import enums, lang, parameters
from checker.extract.java.library.parameters import Option
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ThrowSignal
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    Opaque,
    Scope,
    Value,
    integer,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.tree import Node, annotations_of, children, elements
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause, not_given


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """How one library is called, and what its annotations say."""

    parser: str
    exception: str
    option: str
    """The annotation of options."""
    positional: str
    """The annotation of arguments without a name; the same as ``option`` where these are options without names."""
    names: tuple[str, ...]
    """What holds an option's names."""
    parse: tuple[str, ...]
    equals: bool = False
    """Whether ``--name=value`` is a value, too."""
    delegates: tuple[str, ...] = ()
    """Annotations of fields whose own class has options."""
    quiet: tuple[str, ...] = ()
    """Methods of the parser that change nothing about what is parsed."""


LIBRARIES: Final = (
    Library(
        parser="com.beust.jcommander.JCommander",
        exception="com.beust.jcommander.ParameterException",
        option="Parameter", positional="Parameter", names=("names",), parse=("parse",),
        delegates=("ParametersDelegate", "DynamicParameter"),
        quiet=("setProgramName", "programName", "usage", "getProgramName"),
    ),
    Library(
        parser="picocli.CommandLine", exception="picocli.CommandLine.ParameterException",
        option="Option", positional="Parameters", names=("names",), parse=("parseArgs", "parse", "execute"),
        equals=True, delegates=("Mixin", "ArgGroup", "ParentCommand", "Unmatched", "Spec"),
        quiet=("usage", "getUsageMessage", "setUsageHelpWidth", "setExecutionExceptionHandler", "getErr", "getOut",
               "isUsageHelpRequested", "isVersionHelpRequested", "printVersionHelp"),
    ),
    Library(
        parser="org.kohsuke.args4j.CmdLineParser", exception="org.kohsuke.args4j.CmdLineException",
        option="Option", positional="Argument", names=("name", "aliases"), parse=("parseArgument",),
        quiet=("printUsage", "printSingleLineUsage", "printExample", "setUsageWidth"),
    ),
)  # fmt: skip
_FOR_PEOPLE: Final = frozenset(
    {"names", "name", "aliases", "description", "usage", "required", "help", "hidden", "order", "metaVar", "paramLabel",
     "usageHelp", "versionHelp", "defaultValue", "showDefaultValue", "descriptionKey"}
)  # fmt: skip
"""Elements of annotations that leave the way in which a value is read alone."""


class ParserValue(ExternalObject):
    """A parser of one of the libraries, with the object that it fills and the arguments that it was made with."""

    __slots__ = ("bean", "given", "library")

    def __init__(self, library: Library, bean: Value | None, given: Value | None = None) -> None:
        ExternalObject.__init__(self, External((library.parser,)))
        self.library, self.bean, self.given = library, bean, given


@dataclass(frozen=True, slots=True)
class Member:
    """A field or setter with an option. ``plain``: whether a given value is read by its type alone."""

    option: Option | None
    """None for an argument without a name."""
    spelled: tuple[str, ...]
    field: str | None
    setter: MethodDecl | None
    type: TypeRef
    owner: ClassDecl
    default: str | None
    plain: bool


def create(run: Run, external: External, call: Call) -> Value | None:
    """``new JCommander(bean)``, ``new CommandLine(bean)``, ``new CmdLineParser(bean)``; None for everything else."""
    library = _library(external)
    if library is None or not call.arguments:
        return None
    parser = ParserValue(library, run.settle(call.arguments[0]))
    rest = [a for a in call.arguments[1:] if not is_null(a)]
    if not rest:
        return parser
    if library is not LIBRARIES[0] or len(rest) > 1:
        return None
    return _parse(run, parser, call.having(arguments=rest)) and parser


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``JCommander.newBuilder()``, ``CommandLine.populateCommand(bean, args)``; None for everything else."""
    library = _library(external)
    if library is None:
        return None
    if call.name == "newBuilder":
        return ParserValue(library, None)
    if call.name == "populateCommand" and len(call.arguments) == 2:
        bean = run.settle(call.arguments[0])
        return _parse(run, ParserValue(library, bean), call.having(arguments=call.arguments[1:])) and bean
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of a parser; None where it is not modelled."""
    if not isinstance(receiver, ParserValue):
        return None
    library, name = receiver.library, call.name
    if name == "addObject" and receiver.bean is None and len(call.arguments) == 1:
        run.memory.assign(receiver, "bean", run.settle(call.arguments[0]))
        return receiver
    if name == "args" and len(call.arguments) == 1:
        run.memory.assign(receiver, "given", call.arguments[0])
        return receiver
    if name == "build" and not call.arguments:
        if receiver.given is not None and _parse(run, receiver, call.having(arguments=[receiver.given])) is None:
            return None
        return receiver
    if name in library.parse and (not isinstance(receiver.bean, Instance) or not _has_subcommands(receiver.bean.decl)):
        return _execute(run, receiver, call) if name == "execute" else _parse(run, receiver, call)
    if name not in library.quiet and receiver.bean is not None:
        effects.forget(run, [receiver.bean], f"'{name}'", call.site, fields=effects.Fields.ALL)
    return None


def _library(external: External) -> Library | None:
    return next((library for library in LIBRARIES if library.parser in external.candidates), None)


def _has_subcommands(decl: ClassDecl) -> bool:
    return any(n == "Command" and "subcommands" in elements(a) for n, a in annotations_of(decl.node))


def _execute(run: Run, receiver: ParserValue, call: Call) -> Value | None:
    """picocli parses, calls ``call()`` or ``run()`` of the command, and answers with an exit code."""
    bean = receiver.bean
    try:
        if not isinstance(bean, Instance) or _parse(run, receiver, call) is None:
            return None
    except ThrowSignal:
        return integer(2)
    main = next((n for n in ("call", "run") if any(in_hierarchy(run.index, bean.decl, n))), None)
    if main is None:
        return None
    try:
        code = run.interpreter.invoke(bean, call.having(name=main, arguments=[]))
    except ThrowSignal:
        return integer(1)
    return numbers.unboxed(code) if isinstance(code, Constant) and numbers.whole(code) is not None else integer(0)


def _parse(run: Run, parser: ParserValue, call: Call) -> Value | None:
    """Fill the object. None where its class says more than is understood."""
    bean, library = parser.bean, parser.library
    if not isinstance(bean, Instance):
        return None
    members = list(_members(run, bean.decl, library))
    if not members or _delegates(run, bean.decl, library):
        return None
    listed = call.arguments[0] if len(call.arguments) == 1 else None
    given = parameters.texts(run, listed if isinstance(listed, ListValue) else ListValue(tuple(call.arguments)))
    read = None if given is None else _read(run, members, given, library)
    if given is None:
        why = not_given("the program's arguments", "args", run.location(call.site))
        run.may_throw_any((library.exception,), why, *call.arguments)
    named = {m.option: read.get(m, ()) for m in members if m.option} if read is not None else None
    lines = parameters.command_line(run, [m.option for m in members if m.option], named)
    for member in members:
        if member.option is not None:
            _fill(run, library, bean, member, lines[member.option], call)
        elif read is None or run.entry.arguments_assumed or member in read:
            _fill_rest(run, library, bean, member, None if read is None else read.get(member), call)
    return parser


def _classes(run: Run, decl: ClassDecl) -> Iterator[ClassDecl]:
    yield decl
    yield from (a for a in run.index.ancestors(decl) if isinstance(a, ClassDecl))


def _delegates(run: Run, decl: ClassDecl, library: Library) -> bool:
    return any(
        name in library.delegates or (name == "Parameters" and library.option == "Parameter" and elements(annotation))
        for owner in _classes(run, decl)
        for node in (owner.node, *owner.members)
        for name, annotation in annotations_of(node)
    )


def _members(run: Run, decl: ClassDecl, library: Library) -> Iterator[Member]:
    for owner in _classes(run, decl):
        for declared in owner.fields.values():
            for name, annotation in annotations_of(declared.node):
                if name in (library.option, library.positional):
                    yield _member(run, library, annotation, owner, declared.type, field=declared.name, name=name)
        for method in owner.methods:
            if len(method.parameters) == 1:
                for name, annotation in annotations_of(method.node):
                    if name in (library.option, library.positional):
                        typed = method.parameters[0].type
                        yield _member(run, library, annotation, owner, typed, setter=method, name=name)


def _member(
    run: Run, library: Library, annotation: Node, owner: ClassDecl, typed: TypeRef, *, name: str,
    field: str | None = None, setter: MethodDecl | None = None,
) -> Member:  # fmt: skip
    given = elements(annotation)
    spelled = tuple(text for key in library.names for text in annotation_texts(run, given.get(key), owner))
    required = annotation_texts(run, given.get("required"), owner) == ("true",)
    default = annotation_texts(run, given.get("defaultValue"), owner)
    bare = tuple(sorted((s.lstrip("-") for s in spelled), key=len, reverse=True))
    option = Option(bare, typed.simple.lower() != "boolean", required) if bare and name == library.option else None
    plain = given.keys() <= _FOR_PEOPLE and (library.option == "Parameter" or "help" not in given)
    return Member(option, spelled, field, setter, typed, owner, default[0] if default else None, plain)


def _read(
    run: Run, members: Sequence[Member], given: Sequence[str], library: Library
) -> dict[Member, tuple[str, ...]] | None:
    """What each member is given; None where the library may read it otherwise."""
    by_name = {name: member for member in members if member.option for name in member.spelled}
    found: dict[Member, list[str]] = {}
    rest: list[str] = []
    tokens = list(given)
    while tokens:
        token = tokens.pop(0)
        name, equals, value = token.partition("=")
        member = by_name.get(token) or (by_name.get(name) if library.equals else None)
        if member is None:
            if token.startswith(("-", "@")):
                return None
            rest.append(token)
            continue
        if member in found or not member.plain or (equals and token not in by_name and not member.option):
            return None
        if equals and token not in by_name:
            found[member] = [value]
        elif member.option is not None and not member.option.takes_value:
            found[member] = ["true"]
        elif not tokens:
            parameters.refuse(library.exception)
        elif tokens[0].startswith("-"):
            return None
        else:
            found[member] = [tokens.pop(0)]
    positional = [m for m in members if m.option is None]
    if rest and not positional:
        parameters.refuse(library.exception)
    if rest and (len(positional) != 1 or not positional[0].plain):
        return None
    missing = any(m.option and m.option.required and m not in found and m.default is None for m in members)
    if missing and not run.entry.arguments_assumed:
        parameters.refuse(library.exception)
    if rest:
        found[positional[0]] = rest
    return {member: tuple(values) for member, values in found.items()}


def _fill(run: Run, library: Library, bean: Instance, member: Member, given: Parameters, call: Call) -> None:
    """Set an option's field: to what is given, to an unknown of its name, or not at all."""
    option = member.option
    assert option is not None
    default = None if member.default is None else string(member.default)
    absent = not given.entries and given.complete and default is None
    if absent and not (option.required and run.entry.arguments_assumed):
        return
    found = parameters.value(run, option, given, call, default)
    if is_null(found) and not given.entries:
        return  # said to be unset: the field's own default
    value = _converted(run, library, bean, member, found, call)
    if member.setter is None:
        _store(run, bean, member, value, call)
        return
    asked = parameters.is_given(
        run, option, given, call
    )  # a setter is called for an option that is given, or a default
    if default is not None:
        asked = Constant(True, "boolean")
    label = f"option '{option.names[0]}' is given"
    run.branch(asked, lambda: _store(run, bean, member, value, call), lambda: NULL, label, member.setter.node.id)


def _fill_rest(
    run: Run, library: Library, bean: Instance, member: Member, given: Sequence[str] | None, call: Call
) -> None:
    listed = member.type.simple in ("List", "Collection", "ArrayList")
    if given is not None and (listed or len(given) == 1):
        value: Value = ListValue(tuple(map(string, given))) if listed else string(given[0])
        value = value if listed else _converted(run, library, bean, member, value, call)
    else:
        why = not_given("this argument of the program", "args", run.location(call.site))
        value = ListValue(None, unknown=why) if listed else Opaque(why, f"argument:{member.field or 'main'}")
    _store(run, bean, member, value, call)


def _converted(run: Run, library: Library, bean: Instance, member: Member, found: Value, call: Call) -> Value:
    """A text as the member's type; an unknown where that is not one that is converted alike everywhere."""
    if isinstance(found, Opaque):
        return replace(found, type=None)
    if not isinstance(found, Constant) or is_null(found):
        return found
    java = numbers.primitive(member.type.simple)
    if member.type.dimensions == 0 and member.plain:
        if java == "String":
            return found
        if java == "boolean" and found.text.lower() in ("true", "false"):
            initial = bean.fields.get(member.field or "")
            if member.setter is not None or initial in (NULL, None) or not getattr(initial, "value", True):
                return Constant(found.text.lower() == "true", "boolean", found.depends)
        if java in ("int", "long", "short", "byte", "double", "float"):
            try:
                value = lang.parse(found.text, java)
            except ThrowSignal:
                parameters.refuse(library.exception)
            return Constant(value.value, value.java, found.depends)
        resolved = run.index.resolve_type(member.type, member.owner)
        if isinstance(resolved, ClassDecl) and resolved.kind is ClassKind.ENUM:
            constant = enums.constant(run, resolved, found.text)
            if constant is not None:
                return constant
    symbol = f"option {'/'.join(member.spelled)} = {found.text}"
    why = run.unknown(f"cannot tell what '{found.text}' is as {member.type}", Cause.EXTERNAL, call.site)
    return Opaque(why, symbol, None, found.depends)


def _store(run: Run, bean: Instance, member: Member, value: Value, call: Call) -> Value:
    set_member(run, bean, member.owner, member.field, member.setter, value, call)
    return NULL


def set_member(
    run: Run, filled: Instance, owner: ClassDecl, field: str | None, setter: MethodDecl | None, value: Value, call: Call
) -> None:
    """Call the setter of a member, or set its field where it has no setter."""
    if setter is not None:
        run.interpreter.call_method(setter, filled, call.having(name=setter.name, arguments=[value]))
    elif field is not None:
        names.store_field(run, filled, field, value, Frame(owner, filled, Scope()), owner)


def annotation_texts(run: Run, element: Node | None, owner: ClassDecl) -> tuple[str, ...]:
    """The constants that an element of an annotation lists, as texts."""
    if element is None:
        return ()
    parts = children(element) if element.type == "element_value_array_initializer" else (element,)
    values = [run.interpreter.evaluate(part, Frame(owner, None, Scope())) for part in parts]
    return tuple(value.text for value in values if isinstance(value, Constant))
