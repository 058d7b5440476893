"""``ServiceLoader.load`` of an interface of the repository whose providers the repository names in one file.

Providers that jars add are not known: what has several files, or providers from elsewhere, stays unknown.
"""

from __future__ import annotations

from checker.extract.java.library import collections
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, ClassLiteral, ExternalObject, ListValue, OptionalValue, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.paths import in_tests, module_of

_FOLDER = "META-INF/services/"
_RESOURCES = "src/main/resources/"


class Services(ListValue):
    """A ``ServiceLoader`` with an object of each provider, in the order of the file."""

    __slots__ = ()


class Provider(ExternalObject):
    """A ``ServiceLoader.Provider``, which has made its object."""

    __slots__ = ("made",)

    def __init__(self, made: Value) -> None:
        ExternalObject.__init__(self, External(("java.util.ServiceLoader", "Provider")))
        self.made = made


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``ServiceLoader.load(Service.class)``, with a class loader or without; None for everything else."""
    service = (
        call.arguments[0] if (external.simple, call.name) == ("ServiceLoader", "load") and call.arguments else None
    )
    if (
        not isinstance(service, ClassLiteral)
        or not isinstance(service.type, ClassDecl)
        or service.type.outer is not None
    ):
        return None
    ending = f"{_FOLDER}{service.type.qualified_name}"
    places = [p for p in run.index.ask("within", _FOLDER) if f"/{p}".endswith(f"/{ending}") and not in_tests(p)]
    module = module_of(service.type.unit.path)
    if places != [f"{module}/{_RESOURCES}{ending}" if module else f"{_RESOURCES}{ending}"]:
        return None
    lines = run.index.read(places[0]).decode("utf-8", "replace").splitlines()
    names = dict.fromkeys(name for line in lines if (name := line.partition("#")[0].strip()))
    providers = [run.index.find(name, places[0]) for name in names]
    made: list[Value] = []
    for provider in providers:
        if not isinstance(provider, ClassDecl) or provider.outer is not None:
            return None
        if provider.constructors and all(constructor.parameters for constructor in provider.constructors):
            return None
        made.append(run.interpreter.instantiate(provider, call.having(name="new", arguments=[])))
    return Services(tuple(made), "Immutable")


def call(run: Run, receiver: Services, request: Call) -> Value | None:
    """What a loader does otherwise than a list; None for the rest."""
    if request.name == "findFirst" and not request.arguments:
        return OptionalValue((receiver.elements or (None,))[0])
    if request.name == "stream" and not request.arguments:
        providers = tuple(Provider(made) for made in receiver.elements or ())
        return collections.call(run, ListValue(providers, "Immutable"), request)
    return NULL if request.name == "reload" else None


def provider_call(run: Run, receiver: ExternalObject, request: Call) -> Value | None:
    """``get`` of a provider; None for other calls and objects."""
    return receiver.made if isinstance(receiver, Provider) and request.name == "get" else None
