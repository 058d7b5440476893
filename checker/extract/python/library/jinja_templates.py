"""Texts that scripts make with Jinja, as far as a template only names values: ``'topic' = '{{ topic }}'``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Arguments, FilePath, Guarded, Opaque, Value, first_opaque, unknown
from checker.extract.python.library import resources
from checker.model.unknowns import Cause, Unknown


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TemplateFolder(Guarded):
    """``Environment(loader=FileSystemLoader(folder))``."""

    folder: FilePath


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Template(Guarded):
    """``jinja2.Template``: its texts, and names between them."""

    parts: tuple[tuple[str, bool], ...]

    def render(self, *given: Any, **named: Any) -> str:
        """The text; names without value are empty, as in Jinja."""
        values = dict(*given, **named)
        return "".join(part if text else str(values.get(part, "")) for part, text in self.parts)


def template(run: Run, call: Call) -> Value:
    """``jinja2.Template`` with a text and nothing else: what is not named by a plain name makes it unknown."""
    if len(call.arguments.all()) == 1:
        return perform(run, _read, call.arguments, call.place)
    return unknown("a template of Jinja with other settings", Cause.UNSUPPORTED, call.place, run.fresh(call.name))


def of_template(run: Run, call: Call) -> Answer:
    """``get_template`` of a folder, and ``render``; None for others."""
    owner, given = call.receiver, call.arguments
    if isinstance(owner, TemplateFolder) and call.name == "get_template" and len(given.all()) == 1:
        path = resources.path_join(owner.folder, call.first)
        data = resources.content(run, call.first if path is None else path, call.place)
        text = data if isinstance(data, Opaque) else data.decode("utf-8", "replace")
        return (perform(run, _read, Arguments([text], {}), call.place, owner=owner),)
    if isinstance(owner, Template) and call.name == "render":
        opaque = first_opaque(*given.all())
        text = perform(run, owner.render, given, call.place, owner=owner) if opaque is None else Opaque(opaque.unknown)
        return (text,)
    return None


def _read(source: str) -> Template:
    return Template(tuple(_parts(source)))


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
