"""Texts that scripts make with Jinja, as far as a template only names values: ``'topic' = '{{ topic }}'``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Arguments, FilePath, Guarded, Opaque, Value, unknown
from checker.extract.python.library import resources
from checker.model.unknowns import Cause, Location, Unknown


@dataclass(frozen=True, slots=True)
class TemplateFolder(Guarded):
    """``Environment(loader=FileSystemLoader(folder))``."""

    folder: FilePath

    def template(self, run: Run, name: Value, place: Location) -> Value:
        """``get_template``."""
        path = resources.path_join(self.folder, name)
        data = resources.content(run, name if path is None else path, place)
        if isinstance(data, Opaque):
            return data
        return perform(run, Template, Arguments([data.decode("utf-8", "replace")], {}), place)


class Template:
    """``jinja2.Template``: what is not named by a plain name raises UnclearError."""

    def __init__(self, source: str) -> None:
        self._parts = tuple(_parts(source))

    def render(self, *given: Any, **named: Any) -> str:
        """The text; names without value are empty, as in Jinja."""
        values = dict(*given, **named)
        return "".join(part if text else str(values.get(part, "")) for part, text in self._parts)


def _parts(source: str) -> Iterator[tuple[str, bool]]:
    """Texts of a template, and names between them."""
    from jinja2 import Environment, TemplateError, nodes

    try:
        outputs = Environment(autoescape=False).parse(source).body
    except TemplateError as error:
        raise UnclearError(Unknown(f"a template that does not parse: {error}", Cause.SYNTAX)) from None
    for node in (part for output in outputs for part in getattr(output, "nodes", [output])):
        if not isinstance(node, nodes.TemplateData | nodes.Name):
            raise UnclearError(Unknown("a template that does more than name values", Cause.UNSUPPORTED))
        yield (node.data, True) if isinstance(node, nodes.TemplateData) else (node.name, False)


def environment(run: Run, call: Call) -> Value:
    """``jinja2.Environment`` with a folder and nothing else."""
    loader = call.argument(0, "loader")
    if call.keywords.keys() <= {"loader"} and isinstance(loader, FilePath):
        return TemplateFolder(loader)
    return unknown("an environment of Jinja with other settings", Cause.UNSUPPORTED, call.place, run.fresh(call.name))


def loader(run: Run, call: Call) -> Value:
    """``jinja2.FileSystemLoader`` of one folder."""
    path = call.argument(0, "searchpath")
    known = len(call.arguments.all()) == 1 and isinstance(path, str | FilePath)
    return FilePath(str(getattr(path, "path", path))) if known else unknown("a loader of Jinja", at=call.place)
