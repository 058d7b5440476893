"""Scripts that stand in the arguments of a resource of Flink's operator: images that run SQL take them so."""

from __future__ import annotations

import yaml

from checker.extract.sql.scripts.commands import commands, jobs
from checker.extract.texts.yaml_texts import yaml_documents
from checker.model.foreign_documents import list_in, table_in, text_in

ENDINGS = (".yaml", ".yml")
_KINDS = ("FlinkDeployment", "FlinkSessionJob")


def scripts_in(text: str) -> dict[str, str]:
    """Name of a resource → its script, on the line on which that stands."""
    if not any(kind in text for kind in _KINDS) or "args" not in text:
        return {}
    try:
        documents = [document for document in yaml_documents(text) if isinstance(document, dict)]
    except yaml.YAMLError:
        return {}
    found = {}
    for document in documents:
        job = table_in(table_in(document.get("spec")).get("job"))
        for argument in list_in(job.get("args")) if document.get("kind") in _KINDS else ():
            if isinstance(argument, str) and ";" in argument and jobs(commands(argument)):
                script = argument.strip()
                line = text[: text.find(script.splitlines()[0])].count("\n")
                found[text_in(table_in(document.get("metadata")).get("name")) or ""] = "\n" * line + script
    return found
