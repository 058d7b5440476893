"""Programs that Spring starts: the one runner that its container calls, on an object of which nothing is known.

What the container sets in that object, and in others, is unknown. Programs of which it calls more than one method by
itself are not read: they are noted as programs that no main method is seen to start.
"""

import re
from typing import Final

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ClassLiteral, ExternalObject, Opaque, Value
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.unknowns import Cause

_APPLICATIONS: Final = ("SpringApplication", "SpringApplicationBuilder")
_RUNNERS: Final = frozenset({"CommandLineRunner", "ApplicationRunner"})
_CALLED: Final = re.compile(
    rb"Runner\b|@PostConstruct|Listener\b|InitializingBean|Lifecycle\b|SmartInitializing|@Scheduled"
)
"""What is in a class that the container calls by itself."""
_CALLED_TOO: Final = re.compile(_CALLED.pattern.removeprefix(rb"Runner\b|"))


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``SpringApplication.run(Main.class, args)``: nothing that is known, after the program's one runner has run."""
    if external.simple == "SpringApplication" and call.name == "run" and call.arguments:
        _call_runner(run, call.arguments[0], call.having(arguments=call.arguments[1:]))
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``run`` of an application that was made for a class, whatever it was told; None as above."""
    if receiver.type.simple in _APPLICATIONS and call.name == "run" and len(receiver.arguments) == 1:
        _call_runner(run, receiver.arguments[0], call)
    return None


def _call_runner(run: Run, main: Value, call: Call) -> None:
    if not isinstance(main, ClassLiteral) or not isinstance(main.type, ClassDecl):
        return
    called = [p for p in run.index.found_beside(main.type.unit.path) if _CALLED.search(run.index.read(p)) is not None]
    if len(called) != 1 or _CALLED_TOO.search(run.index.read(called[0])) is not None:
        return
    declared = run.index.unit(called[0]).types.values()
    runners = [decl for decl in declared if not decl.abstract and run.index.names_above(decl) & _RUNNERS]
    if len(runners) != 1:
        return
    why = run.unknown("Spring's container sets it", Cause.EXTERNAL, call.site)
    made = Opaque(why, f"spring:{runners[0].name}", runners[0])
    run.interpreter.invoke(made, call.having(name="run"))
