"""Files of the repository that a script reads: paths, JSON, YAML and TOML.

The file in which Amazon's Managed Service for Apache Flink leaves an application's property groups.

Which files a text of a script names, and what they hold: libraries open them unseen.
"""

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from checker.extract.asking.consulted import ask
from checker.extract.asking.content_facts import Facts
from checker.extract.paths import kind_of, other_projects
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import FilePath, Opaque, Value, unknown
from checker.extract.texts import yaml_documents
from checker.model.changed_files import FileKind
from checker.model.nested import toml
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause, Location, Unknown, given_by

_MAX_BYTES = 1_000_000


def path_join(left: Value, right: Value) -> FilePath | None:
    """``Path / text``; None for other operands."""
    if isinstance(left, FilePath) and isinstance(right, str):
        return FilePath(joined(left.path, right))
    if isinstance(left, FilePath) and isinstance(right, FilePath):
        return FilePath(joined(left.path, right.path))
    return None


def joined(*parts: str) -> str:
    """``os.path.join`` with the ups and repeats taken out."""
    path = posixpath.normpath(posixpath.join("", *parts))
    return "" if path == "." else path


def path_part(owner: FilePath, name: str) -> Value | None:
    """``parent``, ``name``, ``stem``, ``suffix`` of a path; None for its methods."""
    path = PurePosixPath(owner.path)
    if name == "parent":
        return FilePath(joined(str(path.parent)))
    return getattr(path, name) if name in ("name", "stem", "suffix") else None


def path_method(run: Run, owner: FilePath, name: str, arguments: list[Value], place: Location) -> tuple[Value] | None:
    """A method of a path or opened file; None where it is not modelled."""
    if name in ("resolve", "absolute", "expanduser", "open", "as_posix", "__str__"):
        return (owner.path if name in ("as_posix", "__str__") else owner,)
    if name == "joinpath" and all(isinstance(argument, str) for argument in arguments):
        return (FilePath(joined(owner.path, *arguments)),)
    if name == "with_name" and len(arguments) == 1 and isinstance(arguments[0], str):
        return (FilePath(joined(owner.path.rpartition("/")[0], arguments[0])),)
    if name in ("read_text", "read"):
        data = content(run, owner, place)
        return (data if isinstance(data, Opaque) else data.decode("utf-8", "replace"),)
    if name == "read_bytes":
        return (content(run, owner, place),)
    if name in ("exists", "is_file", "is_dir"):
        return (exists(run, name, owner.path, place),)
    if name in ("close", "mkdir", "write", "write_text", "unlink", "flush"):
        return (None,)
    return None


def exists(run: Run, question: str, path: str, place: Location) -> Value:
    """What ``exists`` and its like say of a path: only what the deployment puts there is known."""
    if of_service(run, path):
        return question not in ("isdir", "is_dir")
    return unknown(f"cannot tell whether the file '{path}' exists", Cause.EXTERNAL, place, f"exists:{path}")


def content(run: Run, path: Value, place: Location) -> Any:
    """The bytes of a file, looked for beside the script and from the root; unknown where there is not exactly one."""
    if isinstance(path, Opaque):
        return path
    name = path.path if isinstance(path, FilePath) else path
    if not isinstance(name, str):
        return unknown("an unknown file", Cause.EXTERNAL, place)
    if of_service(run, joined(name)):
        return properties_content(run, place)
    folder = (run.entry.file or run.entry.main or "").rpartition("/")[0]
    found: dict[bytes, str] = {}
    for candidate in dict.fromkeys((joined(name), joined(folder, name))):
        try:
            data = run.files.read(candidate)
        except KeyError:
            continue
        run.limits.read.add(candidate)
        found[data] = candidate
    if len(found) != 1:
        why = "several files of that name are in the repository" if found else "it is not in the repository"
        return unknown(f"cannot tell the content of '{name}' ({why})", Cause.EXTERNAL, place, f"file:{name}")
    data = next(iter(found))
    return data if len(data) <= _MAX_BYTES else unknown(f"'{name}' is too long", Cause.LIMIT, place)


def loaded(run: Run, kind: str, source: Value, place: Location) -> Value:
    """What a JSON, YAML or TOML text or file holds."""
    data = content(run, source, place) if isinstance(source, FilePath) else source
    if isinstance(data, UnfilledGroups) and kind == "json":
        return data.loaded()
    if isinstance(data, Opaque):
        return data
    if not isinstance(data, str | bytes):
        return unknown(f"an unknown {kind} text", Cause.EXTERNAL, place)
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        if kind == "json":
            return json.loads(text)
        if kind == "toml":
            return toml(text)
        documents = yaml_documents(text)
        if len(documents) > 1:
            return unknown("a text of several documents", Cause.SYNTAX, place)
        return documents[0] if documents else None
    except (ValueError, LookupError, AttributeError, TypeError, yaml.YAMLError, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        return unknown(f"a {kind} text that does not parse: {first[:80]}", Cause.SYNTAX, place)


PATH: Final = "/etc/flink/application_properties.json"


def of_service(run: Run, path: str) -> bool:
    """Whether a path is that file, and the script is deployed to the service with known groups."""
    return path == PATH and run.entry.deployment is not None and bool(run.entry.deployment.properties)


@dataclass(frozen=True, slots=True)
class UnfilledGroups(Opaque):
    """The file's content where a template leaves values to be filled in later. Its JSON is known, but for these."""

    groups: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...] = ()

    def loaded(self) -> list[Value]:
        """What the JSON holds."""
        return [{"PropertyGroupId": name, "PropertyMap": dict(values)} for name, values in self.groups]


def properties_content(run: Run, place: Location) -> bytes | UnfilledGroups:
    """The file's content. A value that the user gives as ``GROUP.KEY`` wins over the deployment's."""
    deployment = run.entry.deployment
    assert deployment is not None
    given = dict(run.entry.values)
    groups = tuple(
        (group, tuple((key, _value(f"{group}.{key}", given, value, place)) for key, value in values))
        for group, values in deployment.properties
    )
    if any(isinstance(value, Opaque) for _, values in groups for _, value in values):
        why = f"{PATH}: the template that deploys it leaves values to be filled in later"
        return UnfilledGroups(Unknown(why, Cause.ARGUMENT, None, place), f"file:{PATH}", groups=groups)
    return json.dumps([{"PropertyGroupId": name, "PropertyMap": dict(values)} for name, values in groups]).encode()


def _value(name: str, given: Mapping[str, str], deployed: str | None, place: Location) -> Value:
    value = given.get(name, deployed)
    if value is not None:
        return value
    why = f"property '{name}' is filled in when the template is deployed"
    return unknown(why, Cause.ARGUMENT, place, f"property:{name}", given_by(name))


_MAX_NAME = 200
_DATA = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".sql", ".csv", ".txt", ".env")
"""Endings of files that a script reads whose name is not known from the source."""
_OF_TOOLS = re.compile(rb'^scrape_configs:|^[^\S\n]*+"(?:panels|diagram_type)"[^\S\n]*+:', re.MULTILINE)
"""What stands in files of Prometheus, of Grafana and of diagrams, which no script reads."""
_COMPOSE = re.compile(rb"^services:", re.MULTILINE), re.compile(rb"^[^\S\n]++(?:image|build):", re.MULTILINE)
"""The same of Docker Compose, in one file."""
_TOOLS = Facts(
    "files of tools",
    lambda data: (int(_OF_TOOLS.search(data) is not None or all(part.search(data) for part in _COMPOSE)),),
)
_FILE = re.compile(r"'([^'\s]+\.\w+)'")
"""How a description has the name of a file."""


def named(files: SourceFiles, folder: str, text: str) -> tuple[str, ...]:
    """Files that a text names, from the root or from the script's folder: one, or all below a folder."""
    if not text or len(text) > _MAX_NAME or text.isspace() or "\n" in text or not text.strip("./"):
        return ()
    found: set[str] = set()
    for candidate in dict.fromkeys((joined(text).lstrip("/"), joined(folder, text).lstrip("/"))):
        found.update(ask(files, "at or below", candidate))
    return tuple(sorted(found))


def folder_of(run: Run) -> str:
    """The folder of the script."""
    return (run.entry.file or run.entry.main or "").rpartition("/")[0]


def contents(run: Run, text: str) -> str:
    """A digest of the files that a text names, which count as read then; empty where it names none.

    A word may be called as a package is: the modules of that are code, and count where they are imported.
    """
    paths = [p for p in named(run.files, folder_of(run), text) if not (text.isidentifier() and p.endswith(".py"))]
    run.limits.read.update(paths)
    return run.limits.digest(run.files, paths) if paths else ""


def any_data(run: Run, name: Value = None) -> str:
    """A file whose name is not known is opened: every file that it may be counts as read. Gives a digest of them."""
    paths = named_files(run, name)[0]
    run.limits.read.update(paths)
    return run.limits.digest(run.files, paths)


def named_files(run: Run, name: Value = None) -> tuple[list[str], bool]:
    """Every file that one may be whose name is not known, and whether something is known of the name.

    Of a ``name`` that is one of a few, those called so, in any folder: deployments put files elsewhere. Of one that has
    a default, files of the default's kind in its folder.
    """
    options = name.unknown.options if isinstance(name, Opaque) else ()
    names = {option.rpartition("/")[2] for option in options if isinstance(option, str)}
    few = bool(options) and len(options) == sum(isinstance(option, str) for option in options)
    usual = set(_FILE.findall(name.derived_from or "")) if isinstance(name, Opaque) else set[str]()
    beside = {_kind(path) for text in usual for path in named(run.files, folder_of(run), text)}
    if few:
        paths = [path for path in run.files.paths() if path.rpartition("/")[2] in names]
    elif beside:
        paths = [path for path in run.files.paths() if _kind(path) in beside]
    else:
        paths = [path for path in run.files.paths() if path.endswith(_DATA)]
        apart = [folder for folder in other_projects(run.files.paths()) if not folder_of(run).startswith(folder)]
        kinds = ((path, kind_of(path, ".py")) for path in paths if not path.startswith(tuple(apart)))
        paths = [path for path, kind in kinds if kind not in (None, FileKind.BUILD)]
        paths = [path for path, fact in _TOOLS.of(run.files, paths, absent=(0,)).items() if fact != (1,)]
    return paths, bool(few or beside)


def _kind(path: str) -> tuple[str, str]:
    """The folder of a file, and how its name ends."""
    folder, _, last = path.rpartition("/")
    return folder, last.rpartition(".")[2]


def any_code(run: Run) -> None:
    """Code is looked up by name: every module of the repository counts as read."""
    run.limits.read.update(path for path in run.files.paths() if path.endswith(".py"))
