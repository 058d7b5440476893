"""``ServiceLoader.load(Step.class)``: the providers that the repository names, to be gone through."""

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ClassLiteral, ListValue, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.paths import in_tests, module_of

_FOLDER = "META-INF/services/"
_RESOURCES = "src/main/resources/"


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """An object of each provider in the order of the one file that names them; None where jars may add some."""
    if (external.simple, call.name) != ("ServiceLoader", "load") or not call.arguments:
        return None
    service = call.arguments[0]
    decl = service.type if isinstance(service, ClassLiteral) else None
    if not isinstance(decl, ClassDecl) or decl.outer is not None:
        return None
    ending = f"{_FOLDER}{decl.qualified_name}"
    places = [path for path in run.index.ask("within", _FOLDER) if path.endswith(ending) and not in_tests(path)]
    module = module_of(decl.unit.path)
    if places != [f"{module}/{_RESOURCES}{ending}" if module else f"{_RESOURCES}{ending}"]:
        return None
    lines = run.index.read(places[0]).decode("utf-8", "replace").splitlines()
    names = dict.fromkeys(name for line in lines if (name := line.partition("#")[0].strip()))
    made: list[Value] = []
    for provider in (run.index.find(name, places[0]) for name in names):
        if not isinstance(provider, ClassDecl) or provider.outer is not None:
            return None
        if provider.constructors and all(constructor.parameters for constructor in provider.constructors):
            return None
        made.append(run.interpreter.instantiate(provider, call.having(name="new", arguments=[])))
    return ListValue(tuple(made))
