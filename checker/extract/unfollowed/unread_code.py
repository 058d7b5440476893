"""Unknowns that code of the program makes which was not followed: one value only where that code is the same.

An argument or a library has the same value before and after; a query text, a method that takes too many steps or a
class that is looked up by name has it only as long as nobody edits the program. Such unknowns carry a digest of the
code.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from checker.extract.asking.consulted import ask
from checker.model.nested import FIELD_NAMES, unknowns_in
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import CODE as CODE_DIGEST
from checker.model.unknowns import Cause, Location, Unknown

NEEDS_CODE = "code"
"""The ``derived_from`` of an unknown that depends on code which was not followed: the code as a whole counts."""

CODE = frozenset({Cause.OTHER, Cause.LIMIT, Cause.SYNTAX, Cause.UNSUPPORTED, Cause.REFLECTION})
"""Causes for which the program's own code decides."""


_VARIABLES = re.compile(r"\bos\.(environb?|getenvb?)\b")
"""An expression of Python that asks for environment variables, of names that are not known."""
_ALL_VARIABLES = re.compile(
    rb"\bgetenv\s*\(\s*\)|(?<!\bin )\bos\.environb?\b(?!\s*(?:\[|\.(?:get|setdefault|pop|update)\b))"
)
"""Code of Java or Python that asks for all environment variables at once."""
_WORD = re.compile(rb"\w+")


def with_code(
    topology: Topology,
    files: SourceFiles,
    read: Iterable[str],
    ending: str,
    statement: Callable[[Location], str | None] = lambda location: None,
    causes: frozenset[Cause] = CODE,
    content: Callable[[str], str] | None = None,
    *,
    entry: PipelineEntry,
) -> Topology:
    """The topology with what its unknowns are derived from, where code that was not followed makes them.

    ``read`` are the source files that were read; where a class is looked up by name, all files with ``ending`` count
    as read. ``statement`` gives the text of the statement at a place, with the arguments of a library's call.
    ``causes`` are those for which the program's own code decides. ``content`` names what a file says to a program, by
    its path; all bytes count without it. What ``entry`` gives to such code counts with it.
    """
    used = set(read)
    if any_unknown(topology, lambda u: u.cause is Cause.REFLECTION):
        used.update(ask(files, "ending", ending))

    @cache
    def code() -> str:
        digest = hashlib.sha256(repr(_given(entry, [files.read(path) for path in sorted(used)])).encode())
        for path in sorted(used):
            known_id = files.content_id(path) if content is None else content(path)
            digest.update(f"{path}\0{known_id}\0".encode("utf-8", "surrogatepass"))
        return f"{CODE_DIGEST}{digest.hexdigest()[:16]}"

    def value(unknown: Unknown) -> Unknown:
        if _VARIABLES.search(unknown.derived_from or ""):
            return replace(unknown, derived_from=f"{unknown.derived_from} of the {entry.all_variables}")
        named = [pair for pair in sorted({*entry.environment}) if f"'{pair[0]}'" in (unknown.derived_from or "")]
        if named:  # a library is asked for a variable by its name
            given = hashlib.sha256(repr(named).encode("utf-8", "surrogatepass")).hexdigest()[:16]
            return replace(unknown, derived_from=f"{unknown.derived_from} of variables {given}")
        decides = unknown.derived_from == NEEDS_CODE or (unknown.derived_from is None and unknown.cause in causes)
        return replace(unknown, derived_from=code()) if decides else unknown

    def operators(unknown: Unknown) -> Unknown:
        by_value = unknown.cause in causes or unknown.cause is Cause.NON_DETERMINISTIC
        if by_value or unknown.location is None or unknown.derived_from is not None:
            return value(unknown)
        code = statement(unknown.location)
        return unknown if code is None else replace(unknown, derived_from=code)

    changed: Topology = _mapped(topology, value, operators)
    return replace(changed, files=tuple(sorted({*topology.files, *used})))


def _given(entry: PipelineEntry, code: list[bytes]) -> list[object]:
    """What a start gives to code that was not followed: arguments, and what the code may ask for by its name.

    Names of variables are often put together: one counts where its end is a word of the code, as ``PREFIX`` is of
    ``APP_PREFIX``.
    """
    everything = any(map(_ALL_VARIABLES.search, code))
    words = {word.replace(b"_", b"").lower() for text in code for word in _WORD.findall(text)}

    def asked(variable: str) -> bool:
        parts = variable.lower().split("_")
        return everything or any("".join(parts[start:]).encode() in words for start in range(len(parts)))

    deployment = entry.deployment
    return [
        entry.args,
        sorted({pair for pair in entry.environment if asked(pair[0])}),
        () if deployment is None else deployment.properties,
    ]


def is_open(unknown: Unknown) -> bool:
    """Whether it is one value in both revisions only if the program is the same."""
    return unknown.derived_from is None and unknown.cause not in (Cause.COLLECTION, Cause.NON_DETERMINISTIC)


def of_one_program(topology: Topology) -> Topology:
    """The topology of a program that is the same in both revisions: what is unknown, is the same unknown in both.

    But for what may differ from run to run.
    """

    def same(unknown: Unknown) -> Unknown:
        by_code = (unknown.derived_from or "").startswith(CODE_DIGEST)
        return replace(unknown, derived_from="the same program") if by_code or is_open(unknown) else unknown

    mapped: Topology = _mapped(topology, same, same)
    return replace(mapped, files=topology.files)


def _mapped(record: Any, value: Callable[[Unknown], Unknown], operators: Callable[[Unknown], Unknown]) -> Any:
    """A record with its nested unknowns replaced; ``operators`` for those that stand for operators."""
    if isinstance(record, Unknown):
        return value(record)
    if isinstance(record, tuple):
        return tuple(_mapped(item, value, operators) for item in record)
    changed: dict[str, Any] = {}
    for name in FIELD_NAMES[type(record)]:
        before = getattr(record, name)
        if before is None or isinstance(before, (str, int)):
            continue
        if isinstance(record, Transformation) and record.kind is Kind.UNKNOWN and isinstance(before, Unknown):
            after: Any = operators(before)
        else:
            after = _mapped(before, value, operators)
        if after is not before and after != before:
            changed[name] = after
    return replace(record, **changed) if changed else record


def any_unknown(record: Any, holds: Callable[[Unknown], bool]) -> bool:
    """Whether any nested Unknown of a record matches."""
    return any(map(holds, unknowns_in(record)))
