"""What of a repository's statements and calls is made on Flink here: a positive list, as anybody may have written them.

A call is made where a class of Flink's public Table API declares its method, a statement where it only says what the
session holds. Neither gives class loaders, compiles or loads code, opens files, or reads serializers. What is left out
is not planned: the job is undecided.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from checker.extract.sql.planner.jvm import NotReplayedError
from checker.extract.sql.scripts.templates import words

_CLASSES = re.compile(
    r"org\.apache\.flink\.(?:"
    r"table\.(?:api\.(?!internal\.(?!BaseExpressions)|bridge\.\w+\.internal\.)|expressions\.|descriptors\.|functions\.python\."
    r"|types\.(?!utils\.|extraction\.|inference\.|logical\.(?:utils\.|\w*Raw|Legacy))"
    r"|catalog\.(?:ObjectPath|Column|ResolvedSchema|UniqueConstraint|WatermarkSpec|GenericInMemoryCatalog)\b"
    r"|connector\.ChangelogMode\b|module\.CoreModule\b)"
    r"|configuration\.(?:Configuration|ConfigOptions?|MemorySize|\w+Options)\b"
    r"|types\.Row|api\.common\.typeinfo\.|api\.common\.RuntimeExecutionMode|connector\.datagen\.table\."
    r"|streaming\.api\.(?:CheckpointingMode|environment\.Execution\w+Options)\b)"
    r"|java\.time\.|java\.math\.BigDecimal"
)
"""Flink's API, but for what it works with inside."""
_REFUSED = frozenset(
    {"fromFile", "fromResource", "fromSmileBytes", "getClass", "getUserClassLoader", "withClassLoader", "writeToFile"}
    | {"addJar"}
)
_DEFINES = re.compile(
    r"(?:Create|Alter|Drop)(?:Table|View|Database|Model|Partition)\w*|(?:Add|Drop)Partitions\w*|AddReplaceColumns\w*"
    r"|Drop\w*Function\w*|DropCatalog\w*|AlterCatalog\w*|Use\w*|UnloadModule\w*|Nop\w*"
)
"""Flink's ``Operation`` classes of statements that concern the session's catalogs alone."""
_SERIALIZED = re.compile(r"\braw\s*\(\s*'", re.IGNORECASE)
"""A type whose text holds a serializer, which Flink reads as it reads a savepoint's: with the classes that it names."""


def class_of_api(name: str) -> bool:
    """Whether a class is one of Flink's public API, or a value of Java's that is handed to it."""
    return _CLASSES.match(name) is not None


def check_call(receiver: Any, call: str) -> None:
    """Raises NotReplayedError unless the API declares what is called, or read, of a class or an object."""
    import jpype

    own = receiver.class_ if isinstance(receiver, jpype.JClass) else receiver.getClass()
    if not _declared(str(own.getName()), own, call):
        raise NotReplayedError(f"{call}() of {own.getSimpleName()} is not called")


_known: dict[tuple[str, str], bool] = {}


def _declared(name: str, own: Any, call: str) -> bool:
    if (name, call) not in _known:
        api = [above for above in _lineage(own) if class_of_api(str(above.getName()))]
        members = (member for above in api for member in (*above.getDeclaredMethods(), *above.getDeclaredFields()))
        own_text = bool(api) and call == "toString"
        _known[name, call] = call not in _REFUSED and (own_text or any(str(m.getName()) == call for m in members))
    return _known[name, call]


def _lineage(own: Any) -> Iterator[Any]:
    """A class, what it extends and what it implements."""
    pending = [own]
    while pending:
        current = pending.pop()
        yield current
        above = current.getSuperclass()
        pending += [*current.getInterfaces(), *([] if above is None else [above])]


def check_definition(environment: Any, text: str) -> None:
    """Raises NotReplayedError unless a statement only defines something, as Flink's own parser understands it."""
    check_text(text)
    for operation in environment.getParser().parse(text):
        kind = str(operation.getClass().getSimpleName())
        if not _DEFINES.fullmatch(kind):
            raise NotReplayedError(f"a statement that is not executed here ({kind.removesuffix('Operation')})")


def check_plan(text: str) -> None:
    """The same for a compiled plan, whose texts may be escaped. Raises ValueError where it is no JSON."""
    check_text(json.dumps(json.loads(text), ensure_ascii=False))


def check_text(text: str) -> None:
    """Raises NotReplayedError where a text may hold a serializer."""
    if "raw" in text.lower() and _SERIALIZED.search(" ".join(words(text))):
        raise NotReplayedError("a RAW type, whose serializer is not read")
