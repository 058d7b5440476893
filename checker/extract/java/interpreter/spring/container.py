"""Programs that start Spring's container, and what they ask it for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NoReturn

from checker.extract.java.interpreter.spring.beans import Beans, Container, EnvironmentValue
from checker.extract.java.interpreter.spring.definitions import definitions, known_ones
from checker.extract.java.interpreter.spring.properties import Properties
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, ClassLiteral, Constant, ExternalObject, Value, string
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl

_STARTERS: Final = ("SpringApplication", "SpringApplicationBuilder")
_HARMLESS: Final = frozenset(
    {"web", "bannerMode", "setBannerMode", "setWebApplicationType", "headless", "setHeadless", "logStartupInfo",
     "setLogStartupInfo", "registerShutdownHook", "setRegisterShutdownHook", "setAllowCircularReferences"}
)  # fmt: skip
_CALLED: Final = re.compile(
    rb"Runner\b|@PostConstruct|Listener\b|InitializingBean|Lifecycle\b|SmartInitializing|@Scheduled"
)
"""What is in classes that a container calls by itself."""
_ENVIRONMENT: Final = re.compile(
    rb"^(?![^\S\n]*+import\b).*(?:StreamExecution|StreamTable|LocalStream)Environment", re.MULTILINE
)


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``SpringApplication.run(Main.class, args)``; None for everything else."""
    if external.simple != "SpringApplication" or call.name != "run" or not call.arguments:
        return None
    return _started(run, call.arguments[0], call.arguments[1:], call)


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``run`` of an application that was made, ``getBean`` and the environment of a context; None for the rest."""
    if receiver.type.simple in _STARTERS and call.name == "run":
        steps = {name for name, _ in (*receiver.calls, *receiver.side_calls)}
        if steps <= _HARMLESS and len(receiver.arguments) == 1:
            return _started(run, receiver.arguments[0], call.arguments, call)
        main = receiver.arguments[0] if receiver.arguments else None
        decl = main.type if isinstance(main, ClassLiteral) else None
        if not isinstance(decl, ClassDecl) or _may_start_jobs(run, decl.unit.path):
            _given_up(None, "the application is configured by code")
        return None
    try:
        if isinstance(receiver, Container):
            return Beans(run, receiver, call).asked()
        if isinstance(receiver, EnvironmentValue) and call.name in ("getProperty", "getRequiredProperty"):
            return _property(receiver.properties, call)
    except UnreadError:
        pass
    return None


def _property(properties: Properties, call: Call) -> Value | None:
    key = call.arguments[0] if call.arguments else None
    if not isinstance(key, Constant) or not isinstance(key.value, str) or len(call.arguments) > 2:
        return None
    default = call.arguments[1] if len(call.arguments) == 2 else NULL
    if isinstance(default, ClassLiteral):
        return None
    found = properties.value(key.value)
    if isinstance(found, str):
        found = properties.resolved(found)
    return string(found) if isinstance(found, str) else default if found is None else found


def _started(run: Run, main: Value, given: Sequence[Value], call: Call) -> Value | None:
    """The context of a program after everything that it runs by itself."""
    decl = main.type if isinstance(main, ClassLiteral) else None
    if not isinstance(decl, ClassDecl):
        _given_up(None, "cannot tell its main configuration")
    if not _may_start_jobs(run, decl.unit.path):
        return None
    try:
        properties = Properties(run, decl.unit.path, given=bool(given))
        container = Container(known_ones(definitions(run, decl), properties), properties)
        beans = Beans(run, container, call)
        beans.make_all()
        beans.run_all(given)
    except UnreadError as error:
        _given_up(decl, str(error) or "a bean is not understood")
    return container


def _may_start_jobs(run: Run, main: str) -> bool:
    """Whether a class that the container finds is called by it, or knows an environment; the main class may itself."""
    texts = {path: run.index.read(path) for path in run.index.found_beside(main)}
    return any(
        _CALLED.search(data) is not None or (path != main and _ENVIRONMENT.search(data) is not None)
        for path, data in texts.items()
    )


def _given_up(decl: ClassDecl | None, reason: str) -> NoReturn:
    name = decl.name if decl is not None else "the application"
    raise LimitSignal(f"Spring's container of {name} ({reason})")
