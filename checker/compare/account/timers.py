"""Whether a function registers timers, and does anything when one fires."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from checker.compare.account.handle_uses import lines_of
from checker.compare.account.kept_writes import Line, argument_at, undone
from checker.model.program_code import Goes, Key, ProgramCode, Runs, simple_name
from checker.model.used_states import Timers, method_name

_CALLS: Final = frozenset({"registerEventTimeTimer", "registerProcessingTimeTimer"})
_REGISTERS: Final = re.compile(r"\bregister((?:Event|Processing)TimeTimer) \((?! Long \. MAX_VALUE \))")
_CONTEXT: Final = re.compile(r"\w*(?:Context|TimerService) (\$\d+)")
_SERVICE: Final = re.compile(r"([\w$]+) = [\w$]+ \. (?:timerService|getInternalTimerService) \(")
_FIRING: Final = frozenset({"onTimer", "onEventTime", "onProcessingTime"})
_CONTINUES: Final = "return TriggerResult . CONTINUE"


def timers_of(code: ProgramCode, own: AbstractSet[str], running: Iterable[Key], called: Iterable[Key]) -> Timers:
    """The timers of a function: ``own`` are its classes, ``running`` what runs of them, ``called`` what Flink calls."""
    lines = {key: lines_of(code, key) for key in running}
    registers = any(_registers(found) for found in lines.values())
    firing = (line for key in called if method_name(key) in _FIRING for line in lines.get(key, ())[1:])
    fires = any(line.outcome.goes is not Goes.NOWHERE and not line.text.startswith(_CONTINUES) for line in firing)
    return Timers(registers, lambda: registers or _elsewhere(code, own, lines), fires)


def _elsewhere(code: ProgramCode, own: AbstractSet[str], lines: Mapping[Key, list[Line]]) -> bool:
    names = {name for found in lines.values() for line in found for name in line.names}
    methods = {method_name(key) for key in lines}
    return any(_gives_away(found, methods) for found in lines.values()) or any(
        key[0] not in own and declared.names & _CALLS and names & {method_name(key), simple_name(key[0])}
        for key, declared in code.declarations.items()
    )


def _gives_away(lines: list[Line], methods: AbstractSet[str]) -> bool:
    """Whether statements give what timers are registered with to code that is not followed."""
    words = [*_CONTEXT.findall(lines[0].text), *_SERVICE.findall(" ".join(line.text for line in lines))]
    for line in lines[1:]:
        for found in re.finditer(r"(?<![\w$])([\w$]+(?: \. timerService \( \))?)(?= [,)])", line.text):
            given = found[1] in words or found[1].endswith("timerService ( )")
            if given and argument_at(line.text, found.start())[0] not in methods:
                return True
    return False


def _registers(lines: list[Line]) -> bool:
    """Whether statements register a timer that they do not delete at once."""
    for place, line in enumerate(lines):
        if line.outcome.runs is not Runs.NEVER and _REGISTERS.search(line.text) is not None:
            deleting = _REGISTERS.sub(r"delete\1 (", line.text.rstrip(" ;"))
            if not undone(lines, place, deleting):
                return True
    return False
