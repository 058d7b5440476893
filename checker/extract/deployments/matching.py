"""Which pipeline a deployment runs, and the pipeline with what the deployment gives to it."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import takewhile

from checker.extract.asking.consulted import ask, once
from checker.extract.asking.listing import BUILD_FILES
from checker.extract.paths import shared_parts
from checker.model.deployments import PARALLELISM, RESOURCES, Deployment, DeploymentKind
from checker.model.pipelines import ExtractorKind, PipelineEntry, with_values
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_VERSION = re.compile(r"[-_.]v?\d.*$|[-_](?:all|fat|uber|shaded|jar-with-dependencies|SNAPSHOT|assembly).*$")


def deployed_as(
    entry: PipelineEntry, entries: Sequence[PipelineEntry], found: Iterable[Deployment], files: SourceFiles
) -> tuple[Deployment, ...]:
    """The deployments that run a pipeline, one for each environment, or for each of several jobs that one runs."""
    by_target: dict[str, dict[object, Deployment]] = {}
    found = tuple(found)
    mains = _mains_of(entries) if found else frozenset()
    for deployment in found:
        if _runs(deployment, entry, entries, files, mains):
            if deployment.script is not None and len(_named_alike(deployment.script, entry, entries)) > 1:
                nearest = f"{deployment.script} is {_file(entry)}, the nearest to {deployment.location.file}"
                deployment = replace(deployment, assumed=(*deployment.assumed, nearest))
            elif _named_program(deployment, mains) is not None:
                deployment = replace(deployment, args=None)  # what a launcher hands on is not known
            elif deployment.main is None and deployment.jar is not None and _several_make_it(deployment, files):
                nearest = f"{deployment.jar} is made beside {deployment.location.file}, not in another module"
                deployment = replace(deployment, assumed=(*deployment.assumed, nearest))
            by_target.setdefault(deployment.target, {}).setdefault(
                (_resource(deployment), given(deployment)), deployment
            )
    return tuple(d for target in sorted(by_target) for d in _told_apart(list(by_target[target].values())))


def may_be_deployed_as(
    entry: PipelineEntry, entries: Sequence[PipelineEntry], found: Iterable[Deployment], files: SourceFiles
) -> tuple[Deployment, ...]:
    """The deployments that run this pipeline or another one: of scripts called alike, or of one module."""
    every = tuple(found)
    if not every:
        return ()
    placed = bool(deployed_as(entry, entries, every, files))
    mains = _mains_of(entries)
    return tuple(d for d in every if _may_run(d, entry, entries, files, mains, placed=placed))


def _resource(deployment: Deployment) -> object:
    """Each of the operator's resources is a job of its own, whatever it is given: one of each name in each file."""
    return (deployment.kind, deployment.name, deployment.location.file) if deployment.kind in RESOURCES else None


def given(deployment: Deployment) -> object:
    """What the job itself is given: where that is written, and what it starts from once, is another matter."""
    return replace(
        deployment, name="", identity=None, location=Location("", 1), files=(), image=None, assumed=(), savepoint=None,
        copied_from=(), target="", jar=None, main=None, script=None, kind=DeploymentKind.CONFIGURED,
        allow_non_restored_state=None, namespace=None, places=(),
    )  # fmt: skip


def _told_apart(jobs: list[Deployment]) -> list[Deployment]:
    """Several jobs of one environment, by their names, or else in order."""
    if len(jobs) == 1:
        return jobs
    named = len({job.name for job in jobs}) == len(jobs)
    return [
        replace(job, target=f"{job.target} {job.name if named else f'#{number}'}".strip())
        for number, job in enumerate(jobs, 1)
    ]


def with_deployment(entry: PipelineEntry, deployment: Deployment) -> PipelineEntry:
    """The pipeline with what a deployment gives to it. What the project's own configuration says of it wins."""
    configuration = dict(deployment.configuration)
    return replace(
        entry,
        deployment=replace(deployment, allow_non_restored_state=_may_drop_state(deployment, configuration)),
        files=_with_first(entry, deployment.initialized_by),
        args=entry.args or with_values(deployment.args or (), entry.values),
        parallelism=entry.parallelism or deployment.parallelism or _number(configuration, PARALLELISM),
        max_parallelism=entry.max_parallelism
        or deployment.max_parallelism
        or _number(configuration, "pipeline.max-parallelism"),
        flink=entry.flink or deployment.flink,
        unset=tuple(sorted({*entry.unset, *deployment.unset})),
    )


def _may_drop_state(deployment: Deployment, configuration: Mapping[str, str]) -> bool | None:
    """``allowNonRestoredState`` of the deployment, or else Flink's own option for it."""
    options = [configuration.get(f"execution.{part}.ignore-unclaimed-state") for part in _RECOVERY]
    given = next((option.lower() == "true" for option in options if option is not None), None)
    return given or None if deployment.allow_non_restored_state is None else deployment.allow_non_restored_state


_RECOVERY = ("state-recovery", "savepoint")


def _with_first(entry: PipelineEntry, first: str | None) -> tuple[str, ...]:
    """The files of a pipeline of SQL, the one that initializes the client before the others."""
    if first is None or entry.file is None or not entry.discovered:
        return entry.files
    return (first, *(path for path in entry.files or (entry.file,) if path != first))


def _runs(
    deployment: Deployment,
    entry: PipelineEntry,
    entries: Sequence[PipelineEntry],
    files: SourceFiles,
    mains: frozenset[str],
) -> bool:
    if entry.extract is ExtractorKind.DOCUMENT:
        return False
    if deployment.pipeline is not None:
        return fnmatchcase(entry.name, deployment.pipeline)
    if entry.extract is ExtractorKind.AUTO and entry.main is None and entry.file == deployment.location.file:
        return True  # all that is known of its program is this manifest
    if entry.extract is ExtractorKind.SQL and (entry.file or "").endswith((".yaml", ".yml")):
        words = {posixpath.basename(a) for a in (*(deployment.args or ()), deployment.script or "")}
        name = posixpath.basename(entry.name.partition(" (")[0])
        return f"{name}.sql" in words or (entry.file == deployment.location.file and name == deployment.name)
    if deployment.script is not None:
        return _named_alike(deployment.script, entry, entries, deployment.location) == {_file(entry)}
    named = [a for a in deployment.args or () if a.endswith((".sql", ".py"))]
    if entry.file is not None and any(_named_alike(a, entry, entries) == {entry.file} for a in named):
        return True
    launched = _named_program(deployment, mains)
    if launched is not None:
        return entry.main == launched
    if deployment.main is not None:
        return entry.main == deployment.main and not entry.main.endswith(".py")
    if deployment.jar is not None:
        makes_it = _only_one_of_module(deployment.jar, deployment.copied_from, entry, entries, files)
        return makes_it and _module(posixpath.dirname(entry.file or ""), files) in _nearest_makers(deployment, files)
    if deployment.kind not in (DeploymentKind.STANDALONE, DeploymentKind.MANAGED_FLINK):
        return False
    programs = {e.main: e.file or "" for e in entries if e.main is not None and not e.main.endswith(".py")}
    modules = {_module(posixpath.dirname(file), files) for file in programs.values()} - {None}
    declared = frozenset().union(*(_declared_mains(module, files) for module in modules if module is not None))
    return {entry.main} in (programs.keys(), programs.keys() & declared)


def _mains_of(entries: Sequence[PipelineEntry]) -> frozenset[str]:
    """The main classes of pipelines that have a package: an argument that is called so means the class."""
    return frozenset(e.main for e in entries if e.main is not None and "." in e.main and not e.main.endswith(".py"))


def _named_program(deployment: Deployment, mains: frozenset[str]) -> str | None:
    """The main class that an argument names, where what is started is a launcher and no pipeline itself."""
    if deployment.script is not None or deployment.main in mains:
        return None
    named = {word for a in deployment.args or () for word in (a, a.partition("=")[2]) if word in mains}
    return named.pop() if len(named) == 1 else None


_EXAMPLES = re.compile(
    r"WordCount|TopSpeedWindowing|StateMachineExample|SocketWindow|connector|flink-|beam", re.IGNORECASE
)
"""Jars of Flink, and of what comes with it."""


def _is_of_nothing(deployment: Deployment, files: SourceFiles) -> bool:
    """Whether a jar is started that no module of the repository makes, as far as names tell."""
    jar = deployment.jar or ""
    known = _EXAMPLES.search(jar) is not None or deployment.kind in (*RESOURCES, DeploymentKind.MANAGED_FLINK)
    return not known and not makers_of((jar, *deployment.copied_from), files)


def _may_run(
    deployment: Deployment,
    entry: PipelineEntry,
    entries: Sequence[PipelineEntry],
    files: SourceFiles,
    mains: frozenset[str],
    *,
    placed: bool,
) -> bool:
    """``placed`` is whether another deployment is known to run the pipeline."""
    if entry.extract is ExtractorKind.DOCUMENT or deployment.pipeline is not None:
        return False
    if deployment.script is not None:
        alike = _named_alike(deployment.script, entry, entries, deployment.location)
        return len(alike) > 1 and _file(entry) in alike
    if deployment.main is None and deployment.jar is None:
        return deployment.kind is DeploymentKind.COMMAND  # it stands for all that were too many to be read
    if deployment.main is not None or entry.main is None:
        return False
    own = _module(posixpath.dirname(entry.file or ""), files)
    if not placed and _is_of_nothing(deployment, files):
        declared = frozenset() if own is None else _declared_mains(own, files).intersection(e.main for e in entries)
        return not declared or entry.main in declared
    return own in _nearest_makers(deployment, files) and not any(
        _runs(deployment, e, entries, files, mains) for e in entries
    )


def runs_another_jar(entry: PipelineEntry, before: Deployment, after: Deployment, files: SourceFiles) -> bool:
    """Whether a pipeline's main class is started from a jar that is called otherwise, and not made by its module."""
    jars = [side.jar or "" for side in (before, after)]
    if not all(jars) or any(set(jar) & set("${}*") for jar in jars) or bare_name(jars[0]) == bare_name(jars[1]):
        return False
    own = _module(posixpath.dirname(entry.file or ""), files)
    return own is None or not _makes(own, files, (jars[1], *after.copied_from))


def _named_alike(
    path: str, entry: PipelineEntry, entries: Sequence[PipelineEntry], near: Location | None = None
) -> frozenset[str | None]:
    """The pipelines' files that share the longest end with a path inside an image, nearest to ``near``; or none.

    Empty where this pipeline's file shares nothing with it.
    """
    if _shared_end(path, entry) == 0:
        return frozenset()
    longest = max(_shared_end(path, e) for e in entries)
    alike = {_file(e): e for e in entries if _shared_end(path, e) == longest}
    if near is not None and len(alike) > 1:
        folders = {file: _shared_folders(file or "", near.file) for file in alike}
        alike = {file: e for file, e in alike.items() if folders[file] == max(folders.values())}
    return frozenset(alike)


def _shared_folders(first: str, second: str) -> int:
    """How many folders two paths have in common, counted from the repository's."""
    pairs = zip(posixpath.dirname(first).split("/"), posixpath.dirname(second).split("/"), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _file(entry: PipelineEntry) -> str | None:
    return entry.file or (entry.main if entry.main and entry.main.endswith(".py") else None)


def _shared_end(path: str, entry: PipelineEntry) -> int:
    file = _file(entry)
    return 0 if file is None else shared_parts(file, path)


def _only_one_of_module(
    jar: str, copied_from: Sequence[str], entry: PipelineEntry, entries: Sequence[PipelineEntry], files: SourceFiles
) -> bool:
    """A jar without a main class: that of the module that makes it, or else its program where it has just one."""
    own = _module(posixpath.dirname(entry.file or ""), files) if entry.main is not None else None
    if own is None or not _makes(own, files, (jar, *copied_from)):
        return False
    found = [e for e in entries if e.main is not None and e.index == 0]
    folders = {posixpath.dirname(e.file or "") for e in found}
    inside = {folder for folder in folders if _module(folder, files) == own}
    programs = [e.main for e in found if posixpath.dirname(e.file or "") in inside]
    return len(programs) == 1 or _declared_mains(own, files).intersection(programs) == {entry.main}


def _makes(module: str, files: SourceFiles, names: Sequence[str]) -> bool:
    """Whether a module makes a jar of one of these names, or whatever is built in one of these folders."""
    known = _names_of_module(module, files)
    return any(
        _module(name.removesuffix("/"), files) == module if name.endswith("/") else bare_name(name) in known
        for name in names
    )


def makers_of(names: Sequence[str], files: SourceFiles) -> frozenset[str]:
    """The modules of a revision that make jars of these names, or whatever is built in these folders."""

    def makers(files: SourceFiles) -> frozenset[str]:
        builds = [path for build in BUILD_FILES for path in ask(files, "ending", build)]
        modules = {posixpath.dirname(path) for path in builds if posixpath.basename(path) in BUILD_FILES}
        return frozenset(module for module in modules if _makes(module, files, names))

    return once(files, f"makers of {sorted(names)!r}", makers)


def _several_make_it(deployment: Deployment, files: SourceFiles) -> bool:
    """Whether modules make jars of this name that are farther away, too."""
    makers = makers_of((deployment.jar or "", *deployment.copied_from), files)
    return len(makers) > len(_nearest_makers(deployment, files))


def _nearest_makers(deployment: Deployment, files: SourceFiles) -> frozenset[str]:
    """Of the modules that make the deployment's jar those nearest to where it is written down."""
    makers = makers_of((deployment.jar or "", *deployment.copied_from), files)
    near = {maker: _shared_folders(posixpath.join(maker, "pom.xml"), deployment.location.file) for maker in makers}
    return frozenset(maker for maker, shared in near.items() if shared == max(near.values()))


def bare_name(jar: str) -> str:
    """What a jar is called, without its version."""
    return _VERSION.sub("", jar.removesuffix(".jar"))


_MAIN = re.compile(
    r"<(?:[\w.-]*[mM]ain[.-]?[cC]lass|start-class)>\s*([\w.$]+|\$\{[\w.-]+\})\s*</|"
    r"(?:\bmainClass(?:Name)?|[\"']Main-Class[\"'])[\s\]\[:=,(]*+(?:(?:set|to|convention)\s*+(?:\(\s*+)?)?[\"']([\w.$]+)[\"']"
)
"""Main classes in Maven's and Gradle's build files."""


def _declared_mains(module: str, files: SourceFiles) -> frozenset[str]:
    """The main classes that the build files of a module name."""
    paths = (posixpath.join(module, name) for name in BUILD_FILES)
    return frozenset().union(*(_mains_in(files.read(path)) for path in paths if ask(files, "file", path)))


@lru_cache(maxsize=256)
def _mains_in(build: bytes) -> frozenset[str]:
    """The main classes that a build file names."""
    found: set[str] = set()
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", build.decode("utf-8", "replace"), flags=re.DOTALL)
    for match in _MAIN.finditer(text):
        name = match[1] or match[2]
        if name.startswith("${"):
            values = re.findall(rf"<{re.escape(name[2:-1])}>\s*([\w.$]+)\s*</", text)
            name = values[0] if len(values) == 1 else ""
        found.add(name)
    return frozenset(found)


def _module(folder: str, files: SourceFiles) -> str | None:
    """The nearest folder with a build file, at or above the folder of a pipeline's source."""
    return next(iter(ask(files, "module", folder)), None)


def _names_of_module(folder: str, files: SourceFiles) -> frozenset[str]:
    names = {posixpath.basename(folder)} if folder else set()
    pom = posixpath.join(folder, "pom.xml")
    if ask(files, "file", pom):
        names |= _names_in_pom(files.read(pom))
    settings = next((posixpath.join(folder, s) for s in ("settings.gradle", "settings.gradle.kts")), "")
    if ask(files, "file", settings):
        match = re.search(r"rootProject\.name\s*=\s*[\"']([^\"']+)", files.read(settings).decode("utf-8", "replace"))
        names.update(() if match is None else (match[1],))
    return frozenset(names)


@lru_cache(maxsize=256)
def _names_in_pom(pom: bytes) -> frozenset[str]:
    text = re.sub(r"<parent>.*?(?:</parent>|\Z)", "", pom.decode("utf-8", "replace"), flags=re.DOTALL)
    found = (re.search(rf"<{element}>([^<$]+)</{element}>", text) for element in ("artifactId", "finalName"))
    return frozenset(_VERSION.sub("", name[1].strip()) for name in found if name is not None)


def _number(configuration: Mapping[str, str], key: str) -> int | None:
    value = configuration.get(key, "")
    return int(value) if value.isdecimal() and int(value) > 0 else None
