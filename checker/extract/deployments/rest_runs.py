"""``POST /jars/ID/run`` in scripts: programs that are started through Flink's REST API.

Fields and parameters follow ``JarRunRequestBody`` and ``JarRunMessageParameters`` of Flink 1.13 to 2.3.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl

from checker.extract.deployments.shell_words import STATEMENT
from checker.extract.deployments.started import started
from checker.extract.deployments.variables import SUBSTITUTED, Known, assignments, expanded
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.unknowns import Location

_RUN = re.compile(r"/jars/[^\s\"'?]{0,500}/run(?:\?(?P<query>[^\s\"']*))?(?=[\s\"']|$)", re.M)
_DATA = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json")
_BARE = re.compile(r"(:\s*)\$(?:\{\w++[^{}]*+\}|\w+)(?=\s*[,}])")
"""A variable where JSON wants a number."""
_ARGUMENT = re.compile(r"([^\"']\S*|\".+?\"|'.+?')\s*")
"""As ``JarHandlerUtils.tokenizeArguments`` takes arguments apart."""
_PARAMETERS = {
    "entry-class": "entryClass",
    "program-args": "programArgs",
    "programArg": "programArgs",
    "parallelism": "parallelism",
    "allowNonRestoredState": "allowNonRestoredState",
    "savepointPath": "savepointPath",
}


def deployments_of(text: str, path: str, target: str) -> Iterator[Deployment]:
    """Every run of a jar that a script asks a cluster for, where it names the program's class."""
    known = assignments(text)
    for match in _RUN.finditer(text):
        query = expanded(match["query"] or "", known)
        body, unset = _body(_command(text, match.start()), known)
        given = {_PARAMETERS[k]: v for k, v in parse_qsl(query.text) if k in _PARAMETERS}
        found = _deployment({**given, **body}, Location(path, text.count("\n", 0, match.start()) + 1), target)
        if found is not None:
            names = dict.fromkeys((*query.unset, *unset))
            yield replace(found, assumed=tuple(f"{name} is not set where {path} runs" for name in names))


def _command(text: str, place: int) -> str:
    """The command around a place, with all lines that it goes on for: behind a backslash, and inside of quotes."""
    start = text.rfind("\n", 0, place) + 1
    while start > 1 and text[:start].endswith("\\\n"):
        start = text.rfind("\n", 0, start - 1) + 1
    found = STATEMENT.match(text, start)
    return "" if found is None else found[0]


def _body(command: str, known: Known) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The JSON that a command sends, and the variables whose default was taken."""
    try:
        words = shlex.split(command.replace("\\\n", " "))
    except ValueError:
        return {}, ()
    for option, given in pairwise(words):
        if option in _DATA:
            filled = expanded(given.rstrip(")"), known)
            try:
                body = json.loads(_BARE.sub(r'\1"${later}"', filled.text))
            except (ValueError, RecursionError):
                return {}, ()
            return body if isinstance(body, dict) else {}, filled.unset
    return {}, ()


def _deployment(given: Mapping[str, Any], location: Location, target: str) -> Deployment | None:
    main = given.get("entryClass")
    if not isinstance(main, str) or SUBSTITUTED.search(main):
        return None
    listed, line = given.get("programArgsList"), given.get("programArgs") or ""
    arguments = [str(a) for a in listed] if isinstance(listed, list) else [
        word.replace('"', "").replace("'", "") for word in _ARGUMENT.findall(str(line))
    ]  # fmt: skip
    parallelism = str(given.get("parallelism") or "")
    options = given.get("flinkConfiguration")
    configuration = {str(k): str(v) for k, v in options.items()} if isinstance(options, dict) else {}
    savepoint = given.get("savepointPath")
    job = started(
        DeploymentKind.REST, location, target, (main, None, None), tuple(arguments), configuration, parallelism
    )  # fmt: skip
    return replace(
        job,
        allow_non_restored_state=True if str(given.get("allowNonRestoredState")).lower() == "true" else None,
        savepoint=savepoint if isinstance(savepoint, str) and not SUBSTITUTED.search(savepoint) else None,
    )
