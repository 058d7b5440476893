"""Scripts inside of resources of Kubernetes: arguments and variables of the operator's, files of a ``ConfigMap``."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from checker.extract.asking.content_facts import Facts
from checker.extract.sql.scripts.commands import commands, jobs
from checker.extract.texts import template_documents
from checker.model.nested import list_in, table_in, text_in

FLINK = re.compile(
    r"'connector(?:\.type)?'\s*=|'(?:changelog|scan\.startup|scan\.bounded)\.mode'\s*=|'(?:table|execution|pipeline|parallelism|state|sql-client|restart-strategy)\.[\w.-]+'\s*=|"
    r"\bset\s+(?:table|execution|pipeline|parallelism|sql-client)\.[\w.-]+\s*=|"
    r"\b(?:execute|begin)\s+statement\s+set\b|\bcompile\s+(?:and\s+execute\s+)?plan\b|\bexecute\s+plan\s+'|"
    r"\bwatermark\s+for\b|\btumble\s*\(\s*table\b|\bfor\s+system_time\s+as\s+of\b|\bproctime\s*\(\s*\)",
    re.IGNORECASE,
)
"""What scripts of Flink have, and those of databases do not."""
ENDINGS = (".yaml", ".yml")
_OF_OPERATOR = ("FlinkDeployment", "FlinkSessionJob")
_FILES = "ConfigMap"
_KIND = re.compile(rb"\bkind[\"']?: *[\"']?(?:FlinkDeployment|FlinkSessionJob|ConfigMap)\b")
_JOB = re.compile(rb"(?i)(?:insert\s+(?:into|overwrite)|execute\s+plan|as\s+select)\b")
MAY_HOLD_SCRIPTS = Facts("scripts in resources", lambda data: (int(bool(_KIND.search(data) and _JOB.search(data))),))


def scripts_in(text: str) -> dict[str, str]:
    """Name of a resource, or of the file in a ``ConfigMap`` → its script, on the line on which that stands.

    Files of a map that define only belong to each of its jobs.
    """
    try:
        documents = [document for document in template_documents(text) if isinstance(document, dict)]
    except yaml.YAMLError:
        return {}
    found: dict[str, str] = {}
    for document in _each(documents):
        name = text_in(table_in(document.get("metadata")).get("name")) or ""
        if document.get("kind") in _OF_OPERATOR:
            given = _given(table_in(document.get("spec")))
            scripts = [a for a in given if isinstance(a, str) and ";" in a and jobs(commands(a))]
            found.update((name, _joined([_placed(text, script)])) for script in scripts)
        elif document.get("kind") == _FILES:
            for key, script in _in_files(text, table_in(document.get("data"))):
                found[f"{name}/{key}" if key in found else key] = script
    return found


def _given(spec: Mapping[str, Any]) -> Iterator[object]:
    """What a resource hands to its program: the arguments, and the variables of its containers."""
    yield from list_in(table_in(spec.get("job")).get("args"))
    for part in (spec, table_in(spec.get("jobManager"))):
        pod = table_in(table_in(part.get("podTemplate")).get("spec"))
        for container in map(table_in, list_in(pod.get("containers"))):
            yield from (table_in(variable).get("value") for variable in list_in(container.get("env")))


def _each(documents: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for document in documents:
        yield from map(table_in, list_in(document.get("items"))) if document.get("kind") == "List" else (document,)


def _in_files(text: str, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    files = {k: _placed(text, t) for k, t in texts.items() if k.endswith(".sql") or ("." not in k and FLINK.search(t))}
    working = {key for key, (_, script) in files.items() if jobs(commands(script))}
    defining = [files[key] for key in files if key not in working]
    defines = any(FLINK.search(script) for _, script in defining)
    for key in sorted(working):
        if defines or FLINK.search(files[key][1]):
            yield key.removesuffix(".sql"), _joined([*defining, files[key]])


def _placed(text: str, script: str) -> tuple[int, str]:
    """A script with the number of lines before it."""
    script = script.strip()
    return text[: max(text.find(script.partition("\n")[0]), 0)].count("\n"), script


def _joined(placed: Iterable[tuple[int, str]]) -> str:
    """Scripts in their order in a file, each on the line on which it stands there."""
    found: list[str] = []
    line = 0
    for start, script in sorted(placed):
        found += ["\n" * (start - line), script, "" if script.endswith(";") else ";"]
        line = max(start, line) + script.count("\n")
    return "".join(found)
