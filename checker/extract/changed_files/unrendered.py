"""Edits of charts, projects of the CDK, modules of Terraform and templates that may start a program.

Edits of the Flink image that programs run in: image files, compose files and manifests.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from checker.extract.asking.consulted import ask, once
from checker.extract.asking.listing import listing_of
from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.entries import deployment_entries
from checker.extract.changed_files.unread_starts import content_of, may_hold_command, may_set
from checker.extract.deployments.discovery import text_of
from checker.extract.deployments.environment_files import is_image_file, jars
from checker.extract.deployments.matching import makers_of
from checker.extract.deployments.unrendered import RESOURCE, VALUES, Tool, Unrendered, unrendered
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_CLASS = re.compile(r"(?<![\w.])(?!org\.apache\.)[a-z]\w*(?:\.\w+)*\.[A-Z]\w*\b|\b\w+\.py\b")
"""What names a program in a chart: a qualified class, or a script. Classes of Flink are named in its options."""
_ENTRY = re.compile(r"(?:entryClass[\"']?:|--job-classname|--class|\s-c)[\s\"',=]+[\w$]+(?:\.[\w$]+)*[\s\"',]")
"""What names the class that a job is started with."""
_JAR = re.compile(r"(?<![\w.-])[\w.-]+\.jar\b")
_OF_PODS = re.compile(
    r"(^|\.)(image\w*|tag|repository|pullPolicy|pullSecrets|resources|limits|requests|cpu|memory|storage\w*|replicas?|"
    r"labels|annotations|nodeSelector|tolerations|affinity|serviceAccount\w*|ingress|service|probes?)(\.|$)",
    re.IGNORECASE,
)
"""Values that say where and with how much pods run."""
_SETTING = re.compile(r"\s*[\"']?(\w+)[\"']?\s*[:=]\s*(?:\{\{|[^\s\[{|>])")
"""A line that gives one value to a name."""
_RELEASE = re.compile(r"^kind:\s*[\"']?(?:HelmRelease|Application|ApplicationSet|HelmChart)\b|^releases:", re.M)
"""What gives values to charts: resources of Flux, Argo CD and others, and helmfiles."""
_OPTIONS = {
    Tool.HELM: re.compile(r"(?:\s--set[\w-]*|\s--values|\s-f)[ =]+(\S+)"),
    Tool.TERRAFORM: re.compile(r"(?:\s-var(?:-file)?[ =]+|\bTF_VAR_(?=\w+=))(\S+)"),
    Tool.CDK: re.compile(r"\s(?:-c|--context)[ =]+(\S+)"),
}
"""Options with which commands of a tool are given values."""
_SHORT = re.compile(r"\s-[fc][ =]")
"""Options that other commands have as well: they count on lines that name the tool."""
_CONTINUED = re.compile(r"\\\n[ \t]*")
_CHART = re.compile(r"oci://[^\s\"']+|(?<![\w./$={:-])(?:\./)?(?:\w[\w-]*/)+\w[\w-]*(?![\w./:=-])")
_OPTION = re.compile(r"\s-[\w-]+(?:[ =]+[^\s-]\S*)?")
_HERE = re.compile(r"\s(?:\./?|\.\./?\S*)(?=\s|$)")
"""A chart that a command of Helm names, an option with its value, and the folder in which it runs or one above it."""
_CALLED = re.compile(r"^name:\s*[\"']?([\w.-]+)", re.M)
_COMMENT = re.compile(r"\s*(?:#|//|\*|/\*|\{\{-?\s*/\*)")


def edits_of_unrendered(
    base: SourceFiles, head: SourceFiles, program: str, source: str
) -> Iterator[tuple[Tool, str, Location]]:
    """Tool, name and place of each edit that may start a program otherwise.

    ``program`` is the last part of its class's name, or its script's name; ``source`` the path of its source.
    """
    changed = differing(base, head)
    sides = [[u for u in unrendered(files) if _may_start(u, program, source, files)] for files in (base, head)]
    reported: set[str] = set()
    for found in (*sides[1], *sides[0]):
        for path in changed:
            if path in reported or not any(_gives(path, found, files) for files in (base, head)):
                continue
            for name, place in _edits(path, base, head, found):
                reported.add(path)
                yield found.tool, name, place
    scripts = [path for path in changed if may_set(path) and path not in reported]
    charts = frozenset().union(*(_names(found) for side in sides for found in side))
    for tool in sorted({found.tool for side in sides for found in side} & _OPTIONS.keys()):
        for name, place in _options(scripts, tool, base, head, charts):
            yield tool, name, place


def _names(found: Unrendered) -> frozenset[str]:
    """How commands may name a chart, or one that it is a part of: by its folder, or as it is called."""
    called = _CALLED.findall(found.texts.get(posixpath.join(found.folder, "Chart.yaml"), ""))
    return frozenset((*called, *map(posixpath.basename, (found.folder, *found.charts_above))))


def _may_start(found: Unrendered, program: str, source: str, files: SourceFiles) -> bool:
    """Whether it names the program or no other one and a jar of its module, or nothing at all."""
    if re.search(rf"(?<!\w){re.escape(program)}(?!\w)", found.text):
        return True
    if _ENTRY.search(found.text):
        return False
    makers = makers_of(_JAR.findall(found.text), files)
    if makers:
        return any(source.startswith(posixpath.join(maker, "")) for maker in makers)
    return found.tool in (Tool.CDK, Tool.TERRAFORM) or _CLASS.search(found.text) is None


def _gives(path: str, found: Unrendered, files: SourceFiles) -> bool:
    """Whether a file is a part of it, or gives values to a chart from outside of it."""
    if path in found.texts:
        return posixpath.basename(path) != "Chart.yaml"
    if found.tool is not Tool.HELM or not path.endswith((".yaml", ".yml")) or path not in listing_of(files).all:
        return False
    text = content_of(files, path)
    if _RELEASE.search(text):
        named = "|".join(re.escape(posixpath.basename(chart)) for chart in (found.folder, *found.charts_above))
        return re.search(rf"(?<![\w-])(?:{named})(?![\w-])", text) is not None
    if _is_above(path, found, files):
        return True
    if _is_of_another_chart(path, found, files):
        return False
    own = found.texts.get(posixpath.join(found.folder, "values.yaml"), "")
    keys = _keys(own.encode())
    keys |= {f"{below}.{key}" for below in found.given_below for key in keys}
    return bool(VALUES.search(path)) and not keys.isdisjoint(_keys(text.encode()))


def _is_above(path: str, found: Unrendered, files: SourceFiles) -> bool:
    """Whether the file may be one of values in a chart that this one is a part of."""
    return "templates" not in path.split("/") and _chart_of(path, files) in found.charts_above


def _chart_of(path: str, files: SourceFiles) -> str:
    """The folder of the chart that a file lies in, empty where it lies in none."""
    folder = posixpath.dirname(path)
    while folder and posixpath.join(folder, "Chart.yaml") not in listing_of(files).all:
        folder = posixpath.dirname(folder)
    return folder


def _is_of_another_chart(path: str, found: Unrendered, files: SourceFiles) -> bool:
    """Whether the file lies in the folder of a chart that this one is not a part of, and is given to no other one."""
    folder = _chart_of(path, files)
    if not folder or f"{found.folder}/".startswith(f"{folder}/"):
        return False
    name = "/".join(path.split("/")[-2:])
    return not once(files, f"what names {name}", lambda seen: _is_named(name, seen))


def _is_named(name: str, files: SourceFiles) -> bool:
    """Whether a script or a manifest names a file, by its folder's name and its own."""
    giving = (path for path in listing_of(files).all if may_set(path) or may_hold_command(path))
    return any(name in (text_of(files, path) or "") for path in giving)


def _keys(data: bytes) -> frozenset[str]:
    return frozenset(entry.key for entry in deployment_entries(data) if not _OF_PODS.search(entry.key))


def _edits(path: str, base: SourceFiles, head: SourceFiles, found: Unrendered) -> Iterator[tuple[str, Location]]:
    """The edited values of a file of values, by their keys; the first other line of anything else."""
    above = path not in found.texts and any(_is_above(path, found, files) for files in (base, head))
    if VALUES.search(path) or above:
        sides = (deployment_entries(content_of(files, path).encode()) for files in (base, head))
        before, after = ({(e.key, e.value): e for e in side} for side in sides)
        edited = {e.key: e.line for given, e in (before | after).items() if (given in before) != (given in after)}
        for key, line in sorted(edited.items()):
            if not _OF_PODS.search(key) and not (above and found.given_below.isdisjoint(key.split("."))):
                yield key, Location(path, line)
        return
    lines = [
        [line for line in _saying_lines(content_of(files, path)) if not _is_of_pods(line[1])] for files in (base, head)
    ]
    if [line for _, line in lines[0]] != [line for _, line in lines[1]]:
        known = {line for _, line in lines[0]}
        place = next((number for number, line in lines[1] if line not in known), 1)
        yield path, Location(path, place)


def _is_of_pods(line: str) -> bool:
    found = _SETTING.match(line)
    return found is not None and _OF_PODS.fullmatch(found[1]) is not None


def _options(
    scripts: Sequence[str], tool: Tool, base: SourceFiles, head: SourceFiles, charts: frozenset[str]
) -> Iterator[tuple[str, Location]]:
    """The first value in each script that commands of the tool give in one revision only, whichever script does."""
    sides = [{path: _given_options(path, tool, files, charts) for path in scripts} for files in (base, head)]
    before, after = (frozenset().union(*side.values()) for side in sides)
    for path in scripts:
        for value in sorted((sides[0][path] | sides[1][path]) & (before ^ after))[:1]:
            place = next((n for n, line in enumerate(content_of(head, path).splitlines(), 1) if value in line), 1)
            yield value, Location(path, place)


def _given_options(path: str, tool: Tool, files: SourceFiles, charts: frozenset[str]) -> frozenset[str]:
    """The values that commands of a script give, but for those that name other charts."""
    given: set[str] = set()
    for line in _CONTINUED.sub(" ", content_of(files, path)).splitlines():
        words = _OPTION.sub(" ", re.split(r"&&|\|\||[;|]", line.partition("helm ")[2])[0])
        named = "$" in words or _HERE.search(words) or not charts.isdisjoint(re.findall(r"[\w.-]+", words))
        if _CHART.search(words) and not named:
            continue
        code = line if re.search(rf"\b{tool.name}\b", line, re.IGNORECASE) else _SHORT.sub(" ", line)
        given.update(_OPTIONS[tool].findall(code))
    return frozenset(value for value in given if not _OF_PODS.search(value.partition("=")[0]))


def _saying_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that say something, with their numbers."""
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return ((number, line) for number, line in lines if line and not _COMMENT.match(line))


_GIVEN = re.compile(r"^[ \t]*(?:ARG|ENV)[ \t]+(\w+)[= ][\"']?([\w.-]+)", re.M)
_USED = re.compile(r"\$\{?(\w+)(?::-([\w.-]+))?\}?")
_IMAGE = re.compile(
    r"^[ \t-]*(?:FROM(?:[ \t]+--\S+)?|image:)[ \t]+[\"']?(?:[\w.:-]+/)*(?:flink|pyflink):v?(\d+\.\d+)", re.M
)
_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt")


ChangedImage = tuple[Location, frozenset[str], frozenset[str]]
"""A file, and the minor releases of Flink's images that it names in base and head."""


def changed_images(
    base: SourceFiles, head: SourceFiles, main: str, resources: frozenset[str]
) -> Iterator[ChangedImage]:
    """Files that name another release of Flink's image, and may describe where a program runs.

    ``resources`` are the names of the operator's resources that run it, where these are known.
    """
    for path in differing(base, head):
        if not (is_image_file(path) or may_set(path)) or is_elsewhere(path, base, head, main):
            continue
        before, after = (_releases(files, path, resources) for files in (base, head))
        if before and after and before != after:
            yield Location(path, 1), before, after


def is_elsewhere(path: str, base: SourceFiles, head: SourceFiles, main: str) -> bool:
    """Whether a file belongs to a module that a program's source is not part of, or to an image of others only."""
    folder = posixpath.dirname(path)
    while folder and not main.startswith(f"{folder}/"):
        if any(posixpath.join(folder, name) in listing_of(head).all for name in _BUILDS):
            return True
        folder = posixpath.dirname(folder)
    return is_image_file(path) and all(_holds_others(path, files, main) for files in (base, head))


def _holds_others(path: str, files: SourceFiles, main: str) -> bool:
    """Whether an image file copies jars of the repository's modules, and none of the module of a program."""
    if path not in listing_of(files).all:
        return True
    copied = jars({path: files.read(path).decode("utf-8", "replace")})
    makers = makers_of([*copied, *(source for sources in copied.values() for source in sources)], files)
    own = next(iter(ask(files, "module", posixpath.dirname(main))), None)
    return bool(makers) and own not in makers


def _releases(files: SourceFiles, path: str, resources: frozenset[str]) -> frozenset[str]:
    """The releases that a file names; of several manifests those of the resources, where these are known."""
    text = content_of(files, path)
    if resources and RESOURCE.search(text):
        parts = re.split(r"^---.*$", text, flags=re.M)
        own = re.compile(rf"\bname:\s*[\"']?(?:{'|'.join(map(re.escape, sorted(resources)))}|\S{{0,500}}?[{{$])")
        text = "\n".join(part for part in parts if not RESOURCE.search(part) or own.search(part))
    given = dict(_GIVEN.findall(text))
    filled = _USED.sub(lambda used: str(given.get(used[1]) or used[2] or ""), text)
    return frozenset(_IMAGE.findall(filled))
