"""Command lines that fill annotated objects: JCommander, picocli and args4j.

Every annotated field is an option. Where the arguments are not known it holds an unknown of the option's name. Where
they are, options by their full names with one value each are read; what else they may mean is unknown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from checker.extract.java.interpreter import effects, names
from checker.extract.java.library import lang, parameters
from checker.extract.java.library.parameters import Option
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ThrowSignal
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
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
from checker.extract.java.syntax.declarations import ClassDecl
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
    beyond: frozenset[str] = frozenset()
    """Annotations with options that are not read here."""
    quiet: tuple[str, ...] = ()
    """Methods of the parser that change nothing about what is parsed."""


LIBRARIES: Final = (
    Library(
        parser="com.beust.jcommander.JCommander",
        exception="com.beust.jcommander.ParameterException",
        option="Parameter", positional="Parameter", names=("names",), parse=("parse",),
        beyond=frozenset({"ParametersDelegate", "DynamicParameter"}),
        quiet=("setProgramName", "programName", "usage", "getProgramName"),
    ),
    Library(
        parser="picocli.CommandLine", exception="picocli.CommandLine.ParameterException",
        option="Option", positional="Parameters", names=("names",), parse=("parseArgs", "parse", "execute"),
        equals=True, beyond=frozenset({"Mixin", "ArgGroup", "ParentCommand", "Unmatched", "Spec"}),
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
    """A field with an option. ``plain``: whether a given value is read by its type alone."""

    option: Option | None
    """None for an argument without a name."""
    field: str
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
    made: Value | None = None
    if name == "build":
        given = receiver.given
        made = receiver if given is None else _parse(run, receiver, call.having(arguments=[given]))
    elif name in library.parse:
        made = _execute(run, receiver, call) if name == "execute" else _parse(run, receiver, call)
    if made is None and name not in library.quiet and receiver.bean is not None:
        effects.forget(run, [receiver.bean], f"'{name}'", call.site, fields=effects.Fields.ALL)
    return made


def _library(external: External) -> Library | None:
    return next((library for library in LIBRARIES if library.parser in external.candidates), None)


def _execute(run: Run, receiver: ParserValue, call: Call) -> Value | None:
    """picocli parses, calls ``call()`` or ``run()`` of the command, and answers with an exit code."""
    bean = receiver.bean
    try:
        if not isinstance(bean, Instance) or _parse(run, receiver, call) is None:
            return None
        main = next((n for n in ("call", "run") if any(in_hierarchy(run.index, bean.decl, n))), None)
        if main is None:
            return None
        code = run.interpreter.invoke(bean, call.having(name=main, arguments=[]))
    except ThrowSignal:
        return integer(1)
    return numbers.unboxed(code) if isinstance(code, Constant) and numbers.whole(code) is not None else integer(0)


def _parse(run: Run, parser: ParserValue, call: Call) -> Value | None:
    """Fill the object. None where its class says more than is understood."""
    bean, library = parser.bean, parser.library
    members = [*_members(run, bean.decl, library)] if isinstance(bean, Instance) and _plain(run, bean, library) else []
    if not isinstance(bean, Instance) or not members:
        return None
    listed = call.arguments[0] if len(call.arguments) == 1 else None
    given = parameters.texts(run, listed if isinstance(listed, ListValue) else ListValue(tuple(call.arguments)))
    if given is None:
        why = not_given("the program's arguments", "args", run.location(call.site))
        run.may_throw_any((library.exception,), why, *call.arguments)
    options = [m.option for m in members if m.option is not None]
    read = None if given is None else parameters.read_options(run, options, given, equals=library.equals)
    unread = {m.option for m in members if not m.plain}
    if read is not None and ((read[1] and len(options) == len(members)) or not unread.isdisjoint(read[0])):
        read = None
    lines = parameters.command_line(run, options, None if read is None else read[0])
    for member in members:
        if member.option is not None:
            _fill(run, bean, member, lines[member.option], call)
        elif read is None or read[1] or run.entry.arguments_assumed:
            why = not_given("this argument of the program", "args", run.location(call.site))
            listed_type = member.type.simple in ("List", "Collection", "ArrayList")
            rest = ListValue(None, unknown=why) if listed_type else Opaque(why, f"argument:{member.field}")
            _store(run, bean, member, rest)
    return parser


def _plain(run: Run, bean: Instance, library: Library) -> bool:
    """Whether only fields of an object have options."""
    for owner in run.index.lineage(bean.decl):
        for name, mark in annotations_of(owner.node):
            if (name == "Command" and "subcommands" in elements(mark)) or (name == "Parameters" and elements(mark)):
                return False
        for node in owner.members:
            marks = {name for name, _ in annotations_of(node)}
            setter = node.type == "method_declaration" and marks & {library.option, library.positional}
            if setter or marks & library.beyond:
                return False
    return True


def _members(run: Run, decl: ClassDecl, library: Library) -> Iterator[Member]:
    for owner in run.index.lineage(decl):
        for declared in owner.fields.values():
            for name, annotation in annotations_of(declared.node):
                if name in (library.option, library.positional):
                    yield _member(run, library, annotation, name, declared.name, declared.type, owner)


def _member(
    run: Run, library: Library, annotation: Node, name: str, field: str, typed: TypeRef, owner: ClassDecl
) -> Member:
    given = elements(annotation)
    spelled = tuple(text for key in library.names for text in annotation_texts(run, given.get(key), owner))
    required = annotation_texts(run, given.get("required"), owner) == ("true",)
    default = annotation_texts(run, given.get("defaultValue"), owner)
    bare = tuple(sorted((s.lstrip("-") for s in spelled), key=len, reverse=True))
    option = None
    if bare and name == library.option:
        option = Option(bare, typed.simple.lower() != "boolean", required and not default, spelled)
    plain = given.keys() <= _FOR_PEOPLE and (library.option == "Parameter" or "help" not in given)
    return Member(option, field, typed, owner, default[0] if default else None, plain)


def _fill(run: Run, bean: Instance, member: Member, given: Parameters, call: Call) -> None:
    """Set an option's field: to what is given, to an unknown of its name, or not at all."""
    option = member.option
    assert option is not None
    default = None if member.default is None else string(member.default)
    absent = not given.entries and given.complete and default is None
    if absent and not option.required:
        return
    found = parameters.value(run, option, given, call, default)
    if not is_null(found) or given.entries:  # said to be unset: the field's own default
        _store(run, bean, member, _converted(run, bean, member, found, call))


def _converted(run: Run, bean: Instance, member: Member, found: Value, call: Call) -> Value:
    """A text as the member's type; an unknown where that is not one that is converted alike everywhere."""
    if isinstance(found, Opaque):
        return replace(found, type=None)
    if not isinstance(found, Constant) or is_null(found):
        return found
    java = numbers.primitive(member.type.simple)
    if member.type.dimensions == 0 and member.plain:
        if java == "String":
            return found
        initial = bean.fields.get(member.field)
        if java == "boolean" and found.text in ("true", "false") and not getattr(initial, "value", True):
            return Constant(found.text == "true", "boolean")
        if java in ("int", "long", "short", "byte", "double", "float"):
            return lang.parse(found.text, java)
    symbol = f"option {member.field} = {found.text}"
    why = run.unknown(f"cannot tell what '{found.text}' is as {member.type}", Cause.EXTERNAL, call.site)
    return Opaque(why, symbol)


def _store(run: Run, bean: Instance, member: Member, value: Value) -> None:
    names.store_field(run, bean, member.field, value, member.owner)


def annotation_texts(run: Run, element: Node | None, owner: ClassDecl) -> tuple[str, ...]:
    """The constants that an element of an annotation lists, as texts."""
    if element is None:
        return ()
    parts = children(element) if element.type == "element_value_array_initializer" else (element,)
    values = [run.interpreter.evaluate(part, Frame(owner, None, Scope())) for part in parts]
    return tuple(value.text for value in values if isinstance(value, Constant))
