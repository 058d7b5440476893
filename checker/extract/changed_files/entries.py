"""The entries of build files, deployments, settings and schemas, so that edits can be named one by one.

Files that a start names to its program, by an argument or variable: ``--config /opt/flink/conf/prod.properties``.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from xml.etree import ElementTree

import yaml

from checker.extract.asking.consulted import ask, plain
from checker.extract.asking.listing import listing_of
from checker.extract.connectors.tables import library_of
from checker.extract.paths import in_tests, shared_parts
from checker.extract.texts import with_variables, yaml_documents
from checker.model.changed_files import ChangedFile, Entry, same_module
from checker.model.deployments import Deployment
from checker.model.nested import gathered, toml
from checker.model.sources import SourceFiles

_COMMENT = re.compile(r"^\s*(#|//|\*|/\*|;|!)")
_PAIR = re.compile(r"^\s*+(?:-\s*+)?[\"']?([\w.$\-/]+)[\"']?\s*[:=]\s*(.*)$")
_NAMED = re.compile(r"\b(?:(?:message|enum|record|struct|protocol|class|object|interface|union|error)\s+|name=\")(\w+)")
_AVRO_TYPES = frozenset({"record", "enum", "fixed", "error"})
_DEPLOYMENT = re.compile(
    r"^[^\S\n]*+(?:[{\[,]++[^\S\n]*+)?[\"']?kind[\"']?:\s*[\"']?Flink\w*|\bFLINK_PROPERTIES\b", re.MULTILINE
)
_PLATFORM = re.compile(r"\b[pP]latform\s*\(?[^\n]*?:([^:\"')]+)[\"')]")
"""What a build of Gradle takes the releases of libraries from, with its own release."""
_REQUIREMENT = re.compile(r"""["']([A-Za-z][\w.-]*(?:\[[\w,-]*\])?\s*(?:[=~!<>]=|[<>@])[^"']*)["']""")
_MOST_BYTES = 1_000_000
_LONGEST_KEY = 1_000
"""Characters of a key: what a longer one stands for is compared by its digest."""


def declared_names(path: str, data: bytes) -> frozenset[str]:
    """The classes that a schema or a source file declares, as far as words show."""
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    if path.endswith((".avsc", ".avpr")):
        try:
            return frozenset(_avro_names(json.loads(text)))
        except (ValueError, RecursionError):
            return frozenset()
    return frozenset(_NAMED.findall(text))


def _avro_names(value: object) -> Iterator[str]:
    """Names of the types that an Avro schema declares, those of fields left out."""
    pending = [value]
    while pending:
        schema = pending.pop()
        if isinstance(schema, dict):
            if (
                isinstance(schema.get("type"), str)
                and schema["type"] in _AVRO_TYPES
                and isinstance(schema.get("name"), str)
            ):
                yield schema["name"].rpartition(".")[2]
            pending.extend(schema.values())
        elif isinstance(schema, list):
            pending.extend(schema)


def is_deployment(path: str, data: bytes) -> bool:
    """Whether a file in YAML or JSON configures Flink or a Flink job."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return (stem in ("flink-conf", "config") and not path.endswith(".json")) or _DEPLOYMENT.search(
        data[:_MOST_BYTES].decode("utf-8", "replace")
    ) is not None


def build_entries(path: str, data: bytes, above: bytes = b"") -> tuple[Entry, ...]:
    """What a build file says: dependencies, properties, or just its lines, with the libraries that they name.

    ``above`` is the ``pom.xml`` of the folder above it: Maven looks there for the parent.
    """
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    entries: list[Entry] | None = None
    if path.endswith("pom.xml"):
        with suppress(ElementTree.ParseError, RecursionError):
            entries = _pom(text, above[:_MOST_BYTES].decode("utf-8", "replace"))
    elif path.endswith("Pipfile.lock"):
        with suppress(ValueError, RecursionError, KeyError, TypeError, AttributeError):
            pinned = json.loads(data)["default"].items()
            entries = [Entry(_key(f"{n}{p.get('version', p)}"), "", _line(text, f'"{n}"')) for n, p in pinned]
    elif path.endswith(".lock"):
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            entries = list(_locked(data.decode()))
    elif path.endswith("maven.config"):
        text = _GIVEN.sub("property ", text)
    found = line_entries(text) if entries is None else entries
    return tuple(replace(entry, library=library_of(entry.key, entry.value or entry.key)) for entry in found)


_GIVEN = re.compile(r"(?:(?<!\S)-D|--define[ \t=])")
"""In front of a property in Maven's own arguments."""


def _locked(text: str) -> Iterator[Entry]:
    """The packages in a lock file of uv or Poetry, each with its source, but for the project itself."""
    for package in toml(text)["package"]:
        source = package.get("source", {})
        if source.keys().isdisjoint(("editable", "virtual")):
            name = package["name"]
            key = " ".join((f"{name}=={package['version']}", *map(str, source.values())))
            yield Entry(_key(key), "", _line(text, f'name = "{name}"'))


def _key(text: str) -> str:
    """A key of bounded length."""
    return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}… {sha256(text.encode()).hexdigest()}"


def _pom(text: str, above: str) -> list[Entry]:
    root = _parsed(text)
    found: list[Entry] = []
    parent = root.find("parent")
    if above and parent is not None and parent.find("relativePath") is None and _is(_parsed(above), parent):
        ElementTree.SubElement(parent, "relativePath").text = "../pom.xml"  # Maven's default
    for properties in root.iter("properties"):
        found.extend(
            Entry(f"property {property_.tag}", (property_.text or "").strip(), _line(text, f"<{property_.tag}>"))
            for property_ in properties
        )
    for kind in ("parent", "dependency", "plugin", "extension"):
        for element in root.iter(kind):
            name = ":".join((element.findtext(part) or "").strip() for part in ("groupId", "artifactId"))
            content = re.sub(r"\s+", " ", ElementTree.tostring(element, "unicode")).strip()
            line = _line(text, f">{element.findtext('artifactId') or ''}<")
            imported = kind == "parent" or (element.findtext("scope") or "").strip() == "import"
            platform = (element.findtext("version") or "").strip() if imported else None
            build_only = kind in ("plugin", "extension") or (element.findtext("scope") or "").strip() == "test"
            found.append(Entry(f"{kind} {name}", content, line, build_only, platform=platform))
    for element in root.iter("relocation"):  # of classes, under another name in the jar
        pattern = (element.findtext("pattern") or "").strip()
        content = re.sub(r"\s+", " ", ElementTree.tostring(element, "unicode")).strip()
        found.append(Entry(f"relocate {pattern}", content, _line(text, f">{pattern}<")))
    return found


def _parsed(text: str) -> ElementTree.Element:
    if "<!ENTITY" in text:  # a few of them can stand for any length
        raise ElementTree.ParseError
    return ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", text, count=1))


def _is(project: ElementTree.Element, parent: ElementTree.Element) -> bool:
    """Whether a project is the one that another names as its parent, in that version."""
    return all(project.findtext(part) == parent.findtext(part) for part in ("artifactId", "version"))


def _line(text: str, what: str) -> int:
    place = text.find(what)
    return 1 if place < 0 else text.count("\n", 0, place) + 1


def line_entries(text: str) -> tuple[Entry, ...]:
    """Every line that is not a comment; its key is the line itself, so an edit is one removed and one added.

    Of several requirements of a Python project in one line each is an entry.
    """
    return tuple(
        Entry(_key(" ".join(part.split())), "", number, platform=next(iter(_PLATFORM.findall(part)), None))
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not _COMMENT.match(line)
        for part in _parts(line)
    )


def _parts(line: str) -> list[str]:
    found = _REQUIREMENT.findall(line)
    return found if len(found) > 1 else [line]


def deployment_entries(data: bytes) -> tuple[Entry, ...]:
    """Every key of a deployment with its value, by its path: ``spec.flinkConfiguration.parallelism.default``."""
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    for readable in (text, with_variables(text)):
        with suppress(yaml.YAMLError):
            yaml_documents(readable)  # which refuses what stands for too much
            nodes = list(yaml.compose_all(readable, Loader=yaml.CSafeLoader))
            nodes = [node for node in nodes if node.tag != "tag:yaml.org,2002:null"]
            break
    else:
        return line_entries(text)
    found: list[Entry] = []
    pending = [(str(number or ""), node, node.start_mark.line + 1) for number, node in reversed(list(enumerate(nodes)))]
    while pending:
        path, node, line = pending.pop()
        if isinstance(node, yaml.MappingNode):
            for key, inner in node.value:
                name = "" if key.tag == _MERGED else key.value if isinstance(key, yaml.ScalarNode) else "?"
                pending.append((_key(f"{path}.{name}".strip(".")), inner, key.start_mark.line + 1))
        elif isinstance(node, yaml.SequenceNode) and any(
            not isinstance(inner, yaml.ScalarNode) for inner in node.value
        ):
            pending.extend((f"{path}.{number}", v, v.start_mark.line + 1) for number, v in enumerate(node.value))
        elif isinstance(node, yaml.SequenceNode):
            found.append(Entry(path, str([inner.value for inner in node.value]), line))
        elif isinstance(node, yaml.ScalarNode) and "\n" in node.value:
            first = node.start_mark.line + (2 if node.style in ("|", ">") else 1)
            pairs = ((number, _PAIR.match(text)) for number, text in enumerate(node.value.splitlines(), first))
            found.extend(
                Entry(_key(f"{path}.{pair[1]}"), pair[2], number) for number, pair in pairs if pair is not None
            )
        else:
            found.append(Entry(path, node.value, line))
    return tuple(sorted(found, key=lambda e: e.key))


_MERGED = "tag:yaml.org,2002:merge"


_ASKED = re.compile(
    r"\$\{([\w.-]+)\}|\$([A-Za-z][\w.]*)|\bref\s*=\s*[\"']([\w.-]+)|libs\.versions\.([\w.]+?)(?:\.get\(|\s|\)|$)|"
    r"[+%,]\s*([A-Za-z][\w.]*)(?![\w.]*\s*[=\"':])"
)
"""Names that builds ask for: of Maven's properties, Gradle's and sbt's variables, versions of a catalog."""
_OWNER = re.compile(r"^(?:(?:rootProject|project|ext|extra|versions)\.)+")
_DEFINED = re.compile(r"^(?:property\s+([\w.-]+)$|[^=:]*?([\w.-]+)[\"'\])]*\s*(?::\s*String\s*)?=)")


def entries_of(path: str, files: SourceFiles) -> tuple[Entry, ...]:
    """What a build file says; a ``pom.xml`` is read beside the one of the folder above it."""
    above = posixpath.normpath(f"{path}/../../pom.xml") if path.endswith("pom.xml") else ""
    return build_entries(path, files.read(path), files.read(above) if above in listing_of(files).all else b"")


_WRITTEN = re.compile(
    r"(?:(?<![\w.\\-])|(?<=\\n))((?:[a-z]+\.)+[a-z][\w.-]*):[ \t]+[\"'\\]*([^\"'\\|>;&]*[^\"'\\|>;&\s])"
)
"""An option of Flink as its configuration has it, on a line of a script."""


def options_written(data: bytes) -> tuple[Entry, ...]:
    """The options that a script or an image file writes, each with its value."""
    lines = enumerate(data[:_MOST_BYTES].decode("utf-8", "replace").splitlines(), 1)
    return tuple(
        Entry(key, value, number)
        for number, line in lines
        if not _COMMENT.match(line)
        for key, value in _WRITTEN.findall(line)
    )


_JAR = re.compile(r"(?<![\w.${}-])[\w.${}-]+\.jar\b")
_NAME = re.compile(r"(.*?)(?:-\d+\.\d+(?=-[\d$]))?-((?:v?\d|\$)[\w.${}-]*)\.jar")
"""What a jar is called, the Flink that it is for, and its release."""
_FORMATTED = re.compile(r"(?<!\$)\{")


def jar_entries(text: str) -> tuple[Entry, ...]:
    """Libraries that are known to hold state, as a text names their jars: ``flink-sql-connector-kafka:3.1.0-1.18``."""
    named = ((jar, number) for number, line in enumerate(text.splitlines(), 1) for jar in _JAR.findall(line))
    parts = ((_NAME.fullmatch(_FORMATTED.sub("${", jar)), number) for jar, number in named)
    keys = ((f"{found[1]}:{found[2]}", number) for found, number in parts if found is not None)
    return tuple(Entry(k, "", n, library=library) for k, n in keys if (library := library_of(k, k)) is not None)


def jars_named(path: str, files: SourceFiles, asked: Mapping[str, list[str]]) -> tuple[Entry, ...]:
    """The libraries whose jars any file names, and those whose releases it says for others that name them."""
    text = f"{path}\n" if path.endswith(".jar") else files.read(path).decode("utf-8", "replace")
    given = with_versions(line_entries(text), asked) if asked else ()
    return (*jar_entries(text), *(entry for entry in given if entry.library is not None))


def versions_asked(entries: Iterable[Entry]) -> Mapping[str, list[str]]:
    """Names of versions → keys of the entries that ask for them."""
    return gathered((name, entry.key) for entry in entries for name in _asked(f"{entry.key} {entry.value}"))


def with_versions(entries: Iterable[Entry], asked: Mapping[str, list[str]]) -> Iterator[Entry]:
    """Entries, a version that others ask for with the library of one of those."""
    for entry in entries:
        defined = _DEFINED.search(entry.key)
        name = _OWNER.sub("", (defined[1] or defined[2]) if defined else "")
        found, asking = entry.library, asked.get(name, ())
        for key in asking if found is None else ():
            found = found or library_of(key, entry.value or entry.key)
        yield replace(entry, library=found, asked_by=tuple(asking))


def _asked(text: str) -> set[str]:
    return {_OWNER.sub("", next(filter(None, found))) for found in _ASKED.findall(text) if any(found)}


_NAMED_FILE = re.compile(r"(?:[\w+.-]+:/*)?[^\s,;=:]*[\w-]\.(?!jar$|py$|sql$|com$|org$|net$|io$)[A-Za-z]\w{1,9}")
"""A text that is the name of a file which is no program."""
_SETTING = re.compile(r"\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*)")


_INCLUDE = re.compile(
    r"\binclude[ \t]++(?:required[ \t]*+\([ \t]*+)?(?:(?:file|url|classpath)[ \t]*+\([ \t]*+)?\"?([^\s\"(){}]+)"
)
"""What HOCON includes, also where it is looked for outside of the class path."""
_OF_HOCON = (".conf", ".json", ".properties")


def given_texts(start: Deployment, arguments: Iterable[str]) -> set[str]:
    """Texts that a start hands to its program: arguments, variables, properties."""
    given = [*arguments, *(value for _, value in start.environment)]
    given += [value for _, values in start.properties for _, value in values if value is not None]
    return {part for value in given for part in (value, value.partition("=")[2]) if _NAMED_FILE.fullmatch(part)}


def included_texts(used: frozenset[str], files: SourceFiles) -> set[str]:
    """Names of what HOCON files include: those that a program reads, and those in its module, which it may read."""
    texts = [
        plain(files).read(path).decode("utf-8", "replace")
        for path in ask(plain(files), "ending", ".conf")
        if path in used or (not in_tests(path) and any(same_module(path, program) for program in used))
    ]
    names = {name for text in texts for name in _INCLUDE.findall(text)}
    return {f"{name}{ending}" for name in names for ending in ("",) + (() if name.endswith(_OF_HOCON) else _OF_HOCON)}


def named_by(texts: Iterable[str], files: SourceFiles) -> frozenset[str]:
    """The files of a revision whose path in an image may be one of some names; those that share most with it."""
    found: set[str] = set()
    for text in texts:
        name = posixpath.basename(text.rpartition(":")[2])
        alike = [path for path in ask(plain(files), "ending", name) if posixpath.basename(path) == name]
        most = max((shared_parts(path, text) for path in alike), default=0)
        found.update(path for path in alike if shared_parts(path, text) == most)
    return frozenset(found)


def with_settings(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> ChangedFile:
    """A file of settings with its entries, so that an edit can be told by its key; any other file as it is."""
    if file.unreadable is not None or not file.path.endswith((".properties", ".env", ".conf", ".yaml", ".yml")):
        return file
    sides = [
        None if side is None else _settings(file.path, files.read(file.path))
        for side, files in ((file.base, plain(base)), (file.head, plain(head)))
    ]
    return replace(file, base=sides[0], head=sides[1])


def _settings(path: str, data: bytes) -> tuple[Entry, ...]:
    if path.endswith((".yaml", ".yml")):
        return deployment_entries(data)
    lines = enumerate(data.decode("utf-8", "replace").splitlines(), 1)
    pairs = ((number, line, _SETTING.fullmatch(line)) for number, line in lines)
    return tuple(
        Entry("", line.strip(), number) if pair is None else Entry(pair[1], pair[2].strip(), number)
        for number, line, pair in pairs
        if line.strip() and not line.lstrip().startswith(("#", "//", "!"))
    )
