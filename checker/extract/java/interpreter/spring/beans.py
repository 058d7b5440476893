"""The beans of Spring's container: it makes the singletons, fills them, and calls what is to run when they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from checker.extract.java.interpreter import names
from checker.extract.java.interpreter.spring.binding import Binder, constructed_fields
from checker.extract.java.interpreter.spring.definitions import STEREOTYPES, Definition, fits
from checker.extract.java.interpreter.spring.properties import Properties
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MethodRef,
    Opaque,
    Scope,
    Value,
)
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.tree import Node, annotations_of, children, elements, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause, Unknown

_INJECTED: Final = frozenset({"Autowired", "Inject", "Resource"})
_RUNNERS: Final = frozenset({"CommandLineRunner", "ApplicationRunner"})
_STARTED: Final = ("ContextRefreshedEvent", "ApplicationStartedEvent")
_READY: Final = "ApplicationReadyEvent"
_CONTEXTS: Final = frozenset({"ApplicationContext", "ConfigurableApplicationContext", "BeanFactory"})
_ENVIRONMENTS: Final = frozenset({"Environment", "ConfigurableEnvironment"})
_LIFECYCLES: Final = frozenset({"SmartLifecycle", "Lifecycle", "BeanPostProcessor", "BeanFactoryPostProcessor",
                                "SmartInitializingSingleton", "BeanDefinitionRegistryPostProcessor"})  # fmt: skip
_MOST_ORDERS: Final = 3


class Container(ExternalObject):
    """An application context: its beans by name, and the environment."""

    __slots__ = ("beans", "definitions", "making", "properties")

    def __init__(self, found: list[Definition], properties: Properties) -> None:
        ExternalObject.__init__(self, External(("org.springframework.context.ConfigurableApplicationContext",)))
        self.definitions, self.properties = found, properties
        self.beans: dict[str, Value] = {}
        self.making: list[str] = []


class EnvironmentValue(ExternalObject):
    """Spring's ``Environment``."""

    __slots__ = ("properties",)

    def __init__(self, properties: Properties) -> None:
        ExternalObject.__init__(self, External(("org.springframework.core.env.Environment",)))
        self.properties = properties


class Beans:
    """Makes the beans of one container, for one call."""

    def __init__(self, run: Run, container: Container, call: Call) -> None:
        self.run, self.container, self.call = run, container, call

    def asked(self) -> Value | None:
        """``getBean``, ``getEnvironment`` and what leaves a context as it is."""
        arguments = [self.run.settle(a) for a in self.call.arguments]
        if self.call.name == "getEnvironment":
            return EnvironmentValue(self.container.properties)
        if self.call.name in ("close", "registerShutdownHook", "stop"):
            return NULL
        if self.call.name != "getBean" or not arguments:
            return None
        wanted = arguments[-1]
        name = arguments[0].text if isinstance(arguments[0], Constant) else None
        if isinstance(wanted, ClassLiteral):
            return self.of_type(wanted.ref, self.call.frame.decl, name, exact=name is not None)
        return next((self.bean(bean) for bean in self.container.definitions if bean.name == name), None)

    def make_all(self) -> None:
        """Every singleton. Raises UnreadError where the order in which they are made decides."""
        awake = 0
        for bean in self.container.definitions:
            before = self._effects()
            if bean.plain and not bean.conditional:
                self.bean(bean)
            awake += self._effects() != before
        if awake > 1:
            raise UnreadError("several beans declare operators while they are made, in an unknown order")

    def run_all(self, given: Sequence[Value]) -> None:
        """What the container calls when all beans are made: listeners of its start, then runners."""
        self._publish(_STARTED)
        runners = [
            bean for bean in self.container.definitions
            if bean.plain and not bean.conditional and _RUNNERS & {a.simple for a in self._above(bean)}
        ]  # fmt: skip
        ordered = len({bean.order for bean in runners}) == len(runners) and all(
            bean.order is not None for bean in runners
        )
        effects = 0
        for bean in sorted(runners, key=lambda bean: bean.order or 0):
            before = self._effects()
            runner = self.bean(bean)
            plain = not any(above.simple == "ApplicationRunner" for above in self._above(bean))
            arguments = list(given) if plain and given else [self._opaque("ApplicationArguments", "the arguments")]
            self._invoke(runner, "run", arguments)
            effects += self._effects() != before
        if effects > 1 and not ordered:
            raise UnreadError("several runners declare operators, in an unknown order")
        unsure = (bean for bean in self.container.definitions if bean.conditional or not bean.plain)
        if any(_RUNNERS & {a.simple for a in self._above(bean)} for bean in unsure):
            raise UnreadError("a profile or condition decides whether a runner runs")
        self._publish((_READY,))

    def _publish(self, events: tuple[str, ...]) -> None:
        for bean in self.container.definitions:
            methods = bean.type.methods if bean.method is None and isinstance(bean.type, ClassDecl) else ()
            for method in methods:
                marks = dict(annotations_of(method.node))
                if "EventListener" not in marks or bean.conditional or not bean.plain:
                    continue
                given = text(marks["EventListener"])
                kinds = {p.type.simple for p in method.parameters} | {e for e in (*_STARTED, _READY) if e in given}
                if kinds & set(events):
                    event = [self._opaque("ApplicationEvent", "an event")] * len(method.parameters)
                    self._call(method, self.bean(bean), event)
                elif not kinds & {*_STARTED, _READY} and b"flink" in self.run.index.read(bean.owner.unit.path):
                    raise UnreadError(f"cannot tell when {bean.owner.name}.{method.name} is called")

    def bean(self, bean: Definition) -> Value:
        """The object of a definition, made once. Raises UnreadError."""
        if bean.name in self.container.beans:
            return self.container.beans[bean.name]
        if bean.name in self.container.making:
            raise UnreadError(f"bean '{bean.name}' needs itself")
        if bean.conditional:
            raise UnreadError(
                f"a profile or condition decides whether bean '{bean.name}' is there ({bean.owner.location})"
            )
        if not bean.plain:
            raise UnreadError(f"bean '{bean.name}' ({bean.owner.location}) is not a plain singleton")
        self.container.making.append(bean.name)
        if bean.method is not None:
            this = None if bean.method.static else self._configuration(bean.owner)
            made = self._call(bean.method, this, self._parameters(bean.method))
            made = self.run.settle(made)
            if bean.prefix is not None:
                if not isinstance(made, Instance):
                    raise UnreadError(f"properties are bound to what {bean.method.name} makes")
                self._binder.fill(made, bean.prefix)
        elif isinstance(bean.type, ClassDecl):
            made = self._made(bean.type, bean.prefix)
        else:
            raise UnreadError
        self.container.making.remove(bean.name)
        self.run.memory.put(self.container.beans, bean.name, made)
        return made

    def _configuration(self, owner: ClassDecl) -> Value:
        found = [bean for bean in self.container.definitions if bean.type is owner and bean.method is None]
        if not found:
            raise UnreadError(f"{owner.name} is not a bean")
        inner = [m for m in owner.methods if "Bean" in dict(annotations_of(m.node))]
        nodes = (node for m in inner if m.body is not None for node in walk(m.body))
        calls = {text(field(n, "name")) for n in nodes if n.type == "method_invocation" and not field(n, "object")}
        if calls & {m.name for m in inner} and b"flink" in self.run.index.read(owner.unit.path):
            raise UnreadError(f"methods of {owner.name} call each other, which makes one bean")
        return self.bean(found[0])

    def _made(self, decl: ClassDecl, prefix: str | None) -> Value:
        above, owners = self.run.index.names_above(decl), self.run.index.lineage(decl)[::-1]
        if above & _LIFECYCLES and b"flink" in self.run.index.read(decl.unit.path):
            raise UnreadError(f"cannot tell when {decl.name} is called")
        if prefix is not None and (decl.record_components or _constructed_by_binder(decl)):
            return self._binder.made(decl, prefix)
        made = self.run.interpreter.instantiate(decl, self.call.having(name="new", arguments=self._constructed(decl)))
        if not isinstance(made, Instance):
            raise UnreadError
        for owner in owners:
            for declared in owner.fields.values():
                marks = dict(annotations_of(declared.node))
                if not declared.static and marks.keys() & (_INJECTED | {"Value"}):
                    value = self._injected(declared.type, owner, marks, declared.name)
                    names.store_field(self.run, made, declared.name, value, Frame(owner, made, Scope()), owner)
            for method in owner.methods:
                if not method.static and dict(annotations_of(method.node)).keys() & (_INJECTED | {"Value"}):
                    self._call(method, made, self._parameters(method))
        if prefix is not None:
            self._binder.fill(made, prefix)
        if "ApplicationContextAware" in above:
            self._invoke(made, "setApplicationContext", [self.container])
        for owner in owners:
            for method in owner.methods:
                if "PostConstruct" in dict(annotations_of(method.node)):
                    self._call(method, made, [])
        if "InitializingBean" in above:
            self._invoke(made, "afterPropertiesSet", [])
        return made

    @property
    def _binder(self) -> Binder:
        return Binder(self.run, self.container.properties, self.call, self._call)

    def _constructed(self, decl: ClassDecl) -> list[Value]:
        """The arguments of the constructor that the container calls."""
        found = list(decl.constructors)
        marked = [c for c in found if dict(annotations_of(c.node)).keys() & _INJECTED]
        if found:
            chosen = marked[0] if marked else found[0] if len(found) == 1 else None
            if chosen is None:
                if any(not c.parameters for c in found):
                    return []
                raise UnreadError(f"several constructors of {decl.name} fit")
            return self._parameters(chosen)
        if decl.record_components:
            raise UnreadError
        taken = constructed_fields(decl)
        return [self._injected(member.type, decl, dict(annotations_of(member.node)), member.name) for member in taken]

    def _parameters(self, method: MethodDecl) -> list[Value]:
        nodes = [n for n in children(field(method.node, "parameters") or method.node) if n.type == "formal_parameter"]
        if len(nodes) != len(method.parameters):
            raise UnreadError
        return [
            self._injected(p.type, method.owner, dict(annotations_of(node)), p.name)
            for p, node in zip(method.parameters, nodes, strict=True)
        ]

    def _injected(self, ref: TypeRef, owner: ClassDecl, marks: dict[str, Node], name: str) -> Value:
        if "Value" in marks:
            node = elements(marks["Value"]).get("value")
            given = self.run.interpreter.evaluate(node, Frame(owner, None, Scope())) if node is not None else None
            if not isinstance(given, Constant) or not isinstance(given.value, str):
                raise UnreadError
            try:
                return self.container.properties.converted(given.value, ref)
            except UnreadError:
                return self._opaque(ref.simple, f"what Spring gives to '{name}' of {owner.name}")
        named = [elements(marks[mark]) for mark in ("Qualifier", "Named", "Resource") if mark in marks]
        given_name = next((text(e[k]).strip('"') for e in named for k in ("value", "name") if k in e), None)
        return self.of_type(ref, owner, given_name or name, exact=given_name is not None)

    def of_type(self, ref: TypeRef, scope: ClassDecl, name: str | None, *, exact: bool) -> Value:
        """The bean for a type, by name where there are several. Raises UnreadError where it is not known which."""
        wanted = self.run.index.resolve_type(ref, scope)
        if isinstance(wanted, External) and wanted.simple in _CONTEXTS:
            return self.container
        if isinstance(wanted, External) and wanted.simple in _ENVIRONMENTS and "core.env" in wanted.name:
            return EnvironmentValue(self.container.properties)
        if ref.simple in ("List", "Collection", "Set") and len(ref.arguments) == 1:
            return self._all_of(ref.arguments[0], scope)
        if ref.dimensions or ref.simple in ("Map", "Optional", "ObjectProvider", "Provider"):
            raise UnreadError(f"several beans as {ref} at once")
        found = self._fitting(ref, wanted, scope)
        if exact:
            found = [bean for bean in found if bean.name == name]
        elif len(found) > 1:
            found = [bean for bean in found if bean.primary] or [bean for bean in found if bean.name == name] or found
        if len(found) > 1:
            raise UnreadError(f"several beans are a {ref}: {', '.join(sorted(bean.name for bean in found))}")
        if found:
            return self.bean(found[0])
        if isinstance(wanted, External) and "flink" in wanted.name:
            raise UnreadError(f"no bean of the program is a {ref}")
        return self._opaque(ref.simple, f"a bean of type {ref} that a library makes", wanted)

    def _fitting(self, ref: TypeRef, wanted: Resolved, scope: ClassDecl) -> list[Definition]:
        return [bean for bean in self.container.definitions if fits(self.run, bean, wanted, ref, scope)]

    def _all_of(self, ref: TypeRef, scope: ClassDecl) -> Value:
        found = self._fitting(ref, self.run.index.resolve_type(ref, scope), scope)
        if any(bean.conditional for bean in found):
            raise UnreadError(f"a profile or condition decides which beans are a {ref}")
        if not found:
            raise UnreadError(f"no bean is a {ref}")
        orders = {bean.order for bean in found}
        beans = {bean.name: self.bean(bean) for bean in found}
        if len(orders) == len(found) and None not in orders:
            return ListValue(tuple(beans[bean.name] for bean in sorted(found, key=lambda bean: bean.order or 0)))
        if len(found) > _MOST_ORDERS:
            raise UnreadError(f"the beans that are a {ref} come in an unknown order")
        ways = [ListValue(order) for order in permutations(beans.values())]
        if len(ways) == 1:
            return ways[0]
        why = Unknown(f"cannot tell the order in which Spring finds the beans of type {ref}", Cause.EXTERNAL, None)
        return self.run.pick(Choice(f"spring:order:{ref}", tuple(enumerate(ways)), why))

    def _above(self, bean: Definition) -> Iterator[External]:
        if isinstance(bean.type, External):
            yield bean.type
        elif bean.type is not None:
            yield from (a for a in self.run.index.ancestors(bean.type) if isinstance(a, External))

    def _invoke(self, bean: Value, name: str, arguments: list[Value]) -> None:
        if isinstance(bean, Lambda | MethodRef):
            self.run.interpreter.call_function(bean, self.call.having(name=name, arguments=arguments))
        else:
            self.run.interpreter.invoke(bean, self.call.having(name=name, arguments=arguments))

    def _call(self, method: MethodDecl, this: Value | None, arguments: list[Value]) -> Value:
        return self.run.interpreter.call_method(method, this, self.call.having(name=method.name, arguments=arguments))

    def _opaque(self, name: str, what: str, kind: Resolved = None) -> Value:
        why = self.run.unknown(f"cannot tell {what}", Cause.EXTERNAL, self.call.site)
        return Opaque(why, f"spring:{name}:{what}", kind if kind is not None else External((name,)))

    def _effects(self) -> int:
        return sum(len(env.drafts) for env in self.run.envs) + len(self.run.jobs.items)


def _constructed_by_binder(decl: ClassDecl) -> bool:
    """Whether the one constructor of a class takes properties, and no beans."""
    found, marks = list(decl.constructors), dict(annotations_of(decl.node)).keys()
    takes = found[0].parameters if len(found) == 1 else not found and constructed_fields(decl)
    return bool(takes) and not marks & STEREOTYPES
