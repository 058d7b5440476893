"""The result of every call that no resolver answers, with the effects that it may have.

Where streams or an environment can be reached, the topology has a hole: an unknown transformation stands there.
"""

import re
from collections.abc import Iterable

from checker.extract.java.flink_api import unknowns
from checker.extract.java.flink_api.states import registering
from checker.extract.java.interpreter import effects
from checker.extract.java.library import strings
from checker.extract.java.library.contents import only_asks
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, short, side_calls_text
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    OptionalValue,
    TypeName,
    Value,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown


def unresolved(run: Run, receiver: Value, call: Call) -> Value:
    """The one end of calls that nothing models. ``new T(...)`` has the class as its receiver."""
    if run.following is not None:
        registering.handed_over(run, receiver, call)
    if isinstance(receiver, TypeName):
        if isinstance(receiver.type, ClassDecl):
            reason = f"method '{receiver.type.name}.{call.name}' is not in the repository"
            return not_followed(run, reason, call)
        return (_created if call.name == "new" else _static)(run, receiver.type, call)
    if isinstance(receiver, ExternalObject):
        return _of_library_object(run, receiver, call)
    if isinstance(receiver, Opaque):
        return _of_opaque(run, receiver, call)
    if isinstance(receiver, Instance):
        reason = f"method '{call.name}' of {receiver.decl.name} is not in the repository"
        return not_followed(run, reason, call, receiver=receiver)
    reason = f"the result of '{call.name}' is not evaluated"
    known_reason = next((found for found in map(unknown_of, (receiver, *call.arguments)) if found is not None), None)
    unknown = known_reason or run.unknown(reason, Cause.UNSUPPORTED, call.site)
    container = [receiver] if isinstance(receiver, ListValue | MapValue | OptionalValue) else []
    result = unknowns.escaped(run, unknown, call.having(arguments=[*container, *call.arguments]), of=(receiver,))
    effects.of_modelled_call(run, receiver, call)
    return result


def _why(owner: External, method: str = "") -> str:
    """Why the result of a library's call is not known. The JDK is not looked for in a repository."""
    if owner.name.startswith(("java.", "javax.")):
        called = f"{owner.simple}.{method}()" if method else f"new {owner.simple}()"
        return f"cannot tell what {called} returns"
    return (
        f"{owner.simple}.{method}() is not in the repository" if method else f"{owner.simple} is not in the repository"
    )


def _handed(run: Run, unknown: Unknown, call: Call, simple: str, of: tuple[Value, ...] = ()) -> Value | None:
    """What a library makes of streams, as long as it is known what holds them; None where it is handed none."""
    if not unknowns.carries_topology(run, call.arguments, call.frame) or unknowns.harmless(simple, call.name):
        return None
    return unknowns.escaped(run, unknown, call, of=of)


def _static(run: Run, external: External, call: Call) -> Value:
    cause = Cause.REFLECTION if external.name.startswith(effects.LOOKS_UP) else Cause.EXTERNAL
    unknown = run.unknown(_why(external, call.name), cause, call.site)
    met(run, external)
    symbol = _symbol(external.simple, call, run)
    handed = _handed(run, unknown, call, external.simple)
    effects.of_library_call(run, external, call)
    if handed is not None:
        return handed
    made = ((call.name, tuple(call.arguments)),)
    return ExternalObject(external, (), made, symbol, unknown)


def _created(run: Run, external: External, call: Call) -> Value:
    random = external.simple in ("Random", "SecureRandom", "SplittableRandom", "Date")
    cause = Cause.NON_DETERMINISTIC if random and len(call.arguments) == 0 else Cause.EXTERNAL
    unknown = run.unknown(_why(external), cause, call.site)
    made = f"{external.simple}({', '.join(described_as(value) for value in call.arguments)})"
    met(run, external)
    if not call.used:
        changed(run, made, call.arguments)
    handed = _handed(run, unknown, call, external.simple)
    effects.of_library_call(run, external, call)
    if handed is not None:
        return handed
    return ExternalObject(external, tuple(call.arguments), (), run.fresh(short(made)), unknown)


def _of_library_object(run: Run, receiver: ExternalObject, call: Call) -> Value:
    """It may build on, or hand out something that is not known."""
    cause = Cause.REFLECTION if receiver.type.name.startswith(effects.LOOKS_UP) else Cause.EXTERNAL
    unknown = run.unknown(_why(receiver.type, call.name), cause, call.site)
    if receiver.unknown.cause is Cause.NON_DETERMINISTIC:
        unknown = receiver.unknown
    prefix = f"{receiver.symbol or run.fresh(receiver.type.simple)}{side_calls_text(receiver)}"
    symbol = _symbol(prefix, call, run)
    handed = _handed(run, unknown, call, receiver.type.simple, of=(receiver,))
    effects.of_library_call(run, receiver.type, call)
    if handed is not None:
        return handed
    if call.arguments and len(receiver.side_calls) < _MOST_SIDE_CALLS and not call.name.startswith(_GETTERS):
        run.memory.assign(receiver, "side_calls", (*receiver.side_calls, (call.name, tuple(call.arguments))))
    builds = call.name == "getOrCreate" or (call.name == "next" and call.arguments)  # ``Pattern.next("name")``
    if call.name.startswith(_GETTERS) and not builds:
        return Opaque(unknown, symbol)
    return ExternalObject(
        receiver.type, receiver.arguments, (*receiver.calls, (call.name, tuple(call.arguments))), symbol, unknown
    )


_SOMETHING = External(("an unknown object",))


def _of_opaque(run: Run, receiver: Opaque, call: Call) -> Value:
    kind = receiver.type
    if isinstance(kind, ClassDecl):
        return overridden(run, call, receiver)
    cause = receiver.unknown.cause
    if unknowns.carries_topology(run, call.arguments, call.frame) and not unknowns.harmless("", call.name):
        unknown = run.unknown(receiver.unknown.reason, cause, call.site, receiver.unknown.settled_by)
        return unknowns.escaped(run, unknown, call, of=(receiver,))
    symbol = _symbol(receiver.symbol, call, run)
    effects.of_library_call(run, kind if isinstance(kind, External) else _SOMETHING, call)
    result: External | None = None
    if isinstance(kind, External) and kind.simple == "String" and call.name in strings.TEXT_RESULTS:
        result = kind
    return Opaque(receiver.unknown, symbol, result)


def overridden(run: Run, call: Call, receiver: Value | None) -> Value:
    """A call of a method that several classes of the repository may implement."""
    return not_followed(run, f"cannot tell which class's '{call.name}()' is called", call, receiver=receiver)


def not_followed(
    run: Run, reason: str, call: Call, *, receiver: Value | None = None, cause: Cause = Cause.EXTERNAL
) -> Value:
    """A call that may run any code of the repository: whatever that can reach may have changed."""
    run.gap(call.site)
    unknown = run.unknown(reason, cause, call.site)
    values = [value for value in (receiver, *call.arguments) if value is not None]
    by = f"'{call.name}'"
    effects.calls_back(run, call, by, derived_from=NEEDS_CODE)
    reached = [*values, *run.statics.values()] if cause is Cause.LIMIT or receiver is not None else values
    streams = call.having(arguments=[*reached_topology(reached)] or list(call.arguments))
    result = unknowns.escaped(run, unknown, streams)
    functions = effects.forget(run, values, by, call.site, fields=effects.Fields.ALL, replacement=result)
    effects.calls_back(run, call, by, functions, derived_from=NEEDS_CODE)
    if receiver is not None or cause is Cause.LIMIT:
        effects.forget_statics(run, unknown)
    return result


def reached_topology(values: Iterable[Value]) -> list[Value]:
    """The streams and environments that values are or hold."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Constant | Opaque):
            continue
        found.extend(unknowns.streams_in(value))
        env = unknowns.env_in(value)
        if env is not None and not any(env is known for known in found):
            found.append(env)
    return found


_CONSUMING = (
    "next", "previous", "read", "poll", "take", "pop", "receive", "fetch", "incrementAnd", "decrementAnd", "getAnd",
)  # fmt: skip
"""Calls without arguments that give something else each time."""
_ASKING = re.compile(r"(?:ask|prompt|random|generate)\w*|input|show\w*Dialog|readLine|readPassword")
"""Calls that do so whatever they are given."""


def _symbol(prefix: str, call: Call, run: Run) -> str:
    """A name for the result of a call: the same for equal calls, as far as the arguments are known.

    What libraries were made to do before belongs to it: calls of which nothing is used, and those that consume.
    """
    made = f"{prefix}.{call.name}({', '.join(described_as(value) for value in call.arguments)})"
    done = [text for family in (_OF_ALL, _family_of(run, made)) if (text := _done(run, family))]
    symbol = short(f"{made}{''.join(f'[after {text}]' for text in done)}")
    plain = all(isinstance(value, Constant | Opaque | ExternalObject | Choice) for value in call.arguments)
    consuming = not call.arguments and call.name.startswith(_CONSUMING)
    if consuming or not (call.used or only_asks(call.name)):
        changed(run, made, call.arguments)
    return symbol if plain and not consuming and _ASKING.fullmatch(call.name) is None else run.fresh(symbol)


_FAMILY = re.compile(r"javax?\..+|org\.apache\.\w+|\w+(?:\.\w+(?=\.))?")
_ELSEWHERE = (
    "org.slf4j.", "org.apache.log", "ch.qos.logback.", "java.util.logging.",
    "org.apache.hadoop.", "org.apache.hudi.", "org.apache.iceberg.", "org.apache.kafka.", "org.apache.paimon.",
)  # fmt: skip
"""Libraries that keep what they are told outside of the program: in logs, files, tables and topics."""
_OF_ALL = "java.lang.System"
"""Whose properties every library may ask for."""


def met(run: Run, external: External) -> None:
    """Remember which classes share what one of them remembers: those of one organisation."""
    family = _FAMILY.match(external.name)
    if family is not None and not external.name.startswith(_ELSEWHERE):
        run.families[external.simple] = family[0]


def _family_of(run: Run, symbol: str) -> str:
    return run.families.get(re.split(r"\W", symbol, maxsplit=1)[0], "")


def _done(run: Run, family: str) -> str:
    """What the classes of a family were made to do so far."""
    found = run.statics.get((0, f"of {family}"))
    return "" if found is None else str(found.value) if isinstance(found, Constant) else described_as(found)


def changed(run: Run, made: str, given: Iterable[Value] = ()) -> None:
    """Remember what was done with the object that a symbol begins with, and with other objects of libraries."""
    symbols = [made, *(described_as(value) for value in given if isinstance(value, ExternalObject | Opaque))]
    for family in sorted({_family_of(run, symbol) for symbol in symbols} - {""}):
        run.memory.put(run.statics, (0, f"of {family}"), Constant(short(f"{_done(run, family)}{made};"), "String"))


_MOST_SIDE_CALLS = 20
_GETTERS = ("get", "is", "has", "size", "length", "count", "contains", "equals", "next", "read", "parse", "find", "to")
