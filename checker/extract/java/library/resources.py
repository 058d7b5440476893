"""Files that a program reads from its class path: ``src/main/resources`` of the module that asks, or of another."""

import hashlib
import posixpath
import re
from typing import Final

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, ExternalObject, Frame, Opaque, Value, string
from checker.extract.java.syntax.class_index import External
from checker.extract.paths import in_tests, module_of
from checker.model.unknowns import Cause, Location, Unknown

STREAM: Final = External(("java.io.InputStream",))
_CALL: Final = "resource"
_FOLDERS: Final = ("src/main/resources/", "resources/")


def opened(run: Run, path: str, frame: Frame) -> Value | None:
    """The stream of a resource whose path is relative to the class path's root.

    Null where there is none, if values that are not given are assumed to be absent; None where that is not known.
    """
    path = path.lstrip("/")
    found = _find(run, path, frame.decl.unit.path)
    if found is None:
        return NULL if is_absent(run, path) else None
    return _as_built(run, found) or stream_of(found)


def named(run: Run, name: Value, frame: Frame, package: str = "") -> Value | None:
    """The stream of a resource by its name, which may be relative to a package; None where it is not known.

    Where only the end of the name is known, it is made of the name and of every file that ends so.
    """
    if isinstance(name, Constant):
        return opened(run, name.text if name.text.startswith("/") else package + name.text, frame)
    made = expression_text(described_as(name), Cause.EXTERNAL)
    ending = _ENDING.search(made)
    files = [] if ending is None else _ending(run, ending[1])
    if ending is None or any(_as_built(run, path) is not None for path in files):
        return None
    content = _content([run.index.content_id(path) for path in files])
    unknown = Unknown("cannot tell which resource is read", Cause.EXTERNAL, None, None)
    name_of = made if len(made) <= _SHORT else _content([made])
    return Opaque(unknown, f"resource({name_of} among {ending[1]} {content})", STREAM)


_SHORT: Final = 40
"""So long that what is made of it is kept in full, with the values that ``narrowed`` looks for."""
_ENDING: Final = re.compile(r"(\.\w+)'[)}]*$")
_AMONG: Final = re.compile(r" among \.properties ([0-9a-f]{16})\)")


def narrowed(run: Run, content: str, key: str) -> str:
    """An expression for properties of such a resource: of one entry only the values that it has in each file count."""
    if (among := _AMONG.search(content)) is None:
        return content
    values = [f"{path} {properties(run, path).get(key)}" for path in _ending(run, ".properties")]
    return content.replace(among[1], _content(values))


def _ending(run: Run, ending: str) -> list[str]:
    return [path for path in run.index.ask("ending", ending) if not in_tests(path)]


def _content(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _as_built(run: Run, path: str) -> Opaque | None:
    """What a program reads of a resource in which the build replaces names by values; None of any other one."""
    written = run.index.look_at(path)
    if _REPLACED.search(written) is None:
        return None
    folders = [""] + [path[:at] for at, letter in enumerate(path) if letter == "/"]
    builds = [posixpath.join(folder, name) for folder in folders for name in _BUILDS]
    code = [run.index.look_at(build) for build in builds if run.index.ask("file", build)]
    if not any(map(_REPLACES.search, code)):
        return None
    digest = hashlib.sha256(b"\0".join((written, *code))).hexdigest()[:16]
    reason = f"'{path}' has values that the build fills in"
    return Opaque(Unknown(reason, Cause.EXTERNAL, location=Location(path, 1)), f"{path} filled in ({digest})", STREAM)


_BUILDS: Final = ("pom.xml", "build.gradle", "build.gradle.kts")
_REPLACED: Final = re.compile(rb"\$\{[^}\s]+\}|@[\w.-]+@")
_REPLACES: Final = re.compile(rb"<filtering>\s*true|spring-boot-starter-parent|\bexpand\b|ReplaceTokens|\bfilter\b")


def stream_of(path: str) -> ExternalObject:
    """What a program reads of a file of the repository."""
    return ExternalObject(STREAM, (string(path),), ((_CALL, (string(path),)),), f"file:{path}")


def is_absent(run: Run, path: str) -> bool:
    """Whether no resource of that name is there: no file of the repository, and others are assumed not to be."""
    return run.entry.assume_defaults and not (run.index.ask("file", path) or run.index.ask("ending", f"/{path}"))


def path_of(run: Run, value: Value | None, *, named: bool = False) -> str | None:
    """The repository path behind a stream that ``opened`` made, or behind a reader around one.

    Also behind one of a file by its name. ``named``: the value itself may be that name.
    """
    while isinstance(value, ExternalObject):
        if value.calls and value.calls[0][0] == _CALL and isinstance(value.arguments[0], Constant):
            return value.arguments[0].text
        named = value.type.simple in _OF_FILES
        value = value.arguments[0] if value.arguments else None
    return _beside(run, value.text) if named and isinstance(value, Constant) and value.java == "String" else None


_OF_FILES: Final = ("File", "FileInputStream", "FileReader", "Path")


def _beside(run: Run, name: str) -> str | None:
    """The one file that a program started at the repository's root, or in its module, finds by a relative name."""
    if name.startswith("/") or ":" in name:
        return None
    places = ("", module_of(run.entry.file or ""))
    found = {posixpath.normpath(posixpath.join(place, name)) for place in places}
    known = [path for path in sorted(found) if run.index.ask("file", path)]
    return known[0] if len(known) == 1 else None


def text_of(run: Run, content: Value, charset: Value | None = None, *_: Value) -> Value | None:
    """``new String(stream.readAllBytes())`` of a resource; None where the text or its encoding is not known."""
    if not isinstance(content, ExternalObject) or content.type != STREAM or (path := path_of(run, content)) is None:
        return None
    return written_text(run, path, charset)


def written_text(run: Run, path: str, charset: Value | None) -> Value | None:
    """The text of a file of the repository; None where its encoding is not known, and may decide."""
    written = run.index.read(path)
    named = charset.text if isinstance(charset, Constant) else getattr(charset, "symbol", "")
    if len(written) > _LONGEST or not (written.isascii() or named.upper().endswith(("UTF_8", "UTF-8"))):
        return None
    return string(written.decode("utf-8", "replace"))


_LONGEST: Final = 200_000
_ENTRY: Final = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|$)", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def properties(run: Run, path: str, encoding: str = "iso-8859-1") -> dict[str, str]:
    """The entries of a properties file, as ``java.util.Properties`` reads them from a stream of bytes."""
    found: dict[str, str] = {}
    text = run.index.read(path).decode(encoding, "replace")
    begun, entries, continues = "", [], False
    for line in re.split("\r\n|[\r\n]", text):
        line = line.lstrip(" \t\f")
        if not begun and line[:1] in ("", "#", "!"):
            continues = continues and not line
            continue
        line = begun + line
        continues = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        begun = line[:-1] if continues else ""
        entries += [] if continues else [line]
    for entry in map(_ENTRY.match, (*entries, begun) if continues else entries):
        if entry is not None:
            found[_unescaped(entry[1])] = _unescaped(entry[2])
    return found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _LETTERS.get(m[2], m[2] or ""), text)


def _find(run: Run, path: str, near: str) -> str | None:
    """The job's own module is first on its class path, then the module that asks, then the only other one."""
    main = run.index.find(run.entry.main, run.entry.file or "") if run.entry.main is not None else None
    for place in (main.unit.path if main is not None else near, near):
        module = module_of(place)
        for folder in _FOLDERS:
            candidate = f"{module}/{folder}{path}" if module else f"{folder}{path}"
            if run.index.ask("file", candidate):
                return candidate
    others = run.index.ask("ending", f"/{_FOLDERS[0]}{path}")
    return others[0] if len(others) == 1 else None


def class_loader() -> ExternalObject:
    """A class loader: resource paths are relative to the class path's root."""
    return ExternalObject(External(("java.lang.ClassLoader",)))


_UTF_8: Final = string("UTF-8")
_IN_UTF_8: Final = ("readString", "readFileUtf8")
"""Methods that read UTF-8 where they are given no encoding."""


def path_named(run: Run, call: Call) -> Value | None:
    """``Paths.get("job.sql")`` of a file of the repository."""
    known = len(call.arguments) == 1 and path_of(run, call.arguments[0], named=True) is not None
    return ExternalObject(External(("java.nio.file.Path",)), tuple(call.arguments)) if known else None


def read_of(run: Run, call: Call) -> Value | None:
    """``Files.readAllBytes(path)``: what is read of the file."""
    path = path_of(run, call.arguments[0], named=True) if len(call.arguments) == 1 else None
    return None if path is None else stream_of(path)


def text_file(run: Run, call: Call) -> Value | None:
    """``Files.readString(path)``, ``IOUtils.toString(stream, charset)`` …"""
    path = path_of(run, call.arguments[0], named=True) if call.arguments else None
    charset = call.arguments[1] if len(call.arguments) > 1 else _UTF_8 if call.name in _IN_UTF_8 else None
    return None if path is None else written_text(run, path, charset)
