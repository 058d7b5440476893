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

_CLASSES = re.compile(
    r"org\.apache\.flink\.(?:"
    r"table\.(?:api\.(?!internal\.(?!BaseExpressions)|bridge\.\w+\.internal\.)|expressions\.|descriptors\.|functions\.python\."
    r"|types\.(?!utils\.|extraction\.|inference\.|logical\.(?:utils\.|\w*Raw|Legacy))"
    r"|catalog\.(?:ObjectPath|Column|ResolvedSchema|UniqueConstraint|WatermarkSpec)\b|connector\.ChangelogMode\b)"
    r"|configuration\.(?:Configuration|ConfigOptions?|MemorySize|\w+Options)\b"
    r"|types\.Row|api\.common\.typeinfo\.|api\.common\.RuntimeExecutionMode|connector\.datagen\.table\."
    r"|streaming\.api\.(?:CheckpointingMode|environment\.Execution\w+Options)\b)"
    r"|java\.time\.|java\.math\.BigDecimal"
)
"""Flink's API, but for what it works with inside."""
_REFUSED = frozenset(
    {"fromFile", "fromResource", "fromSmileBytes", "getClass", "getUserClassLoader", "withClassLoader", "writeToFile"}
    | {"addJar", "loadModule", "unloadModule", "useModules"}
)
"""What gives more than a plan: modules are among it, as ours has the stand-ins of connectors."""
_DEFINES = re.compile(
    r"(?:Create|Alter|Drop)(?:Table|View|Database|Model|Partition)\w*|(?:Add|Drop)Partitions\w*|AddReplaceColumns\w*"
    r"|Drop\w*Function\w*|DropCatalog\w*|AlterCatalog(?!Function)\w*|Use(?:Catalog|Database)\w*|Nop\w*"
)
"""Flink's ``Operation`` classes of statements that concern the session's catalogs alone."""
SERIALIZED = "a RAW type, whose serializer is not read"
_SERIALIZED = re.compile(r"raw(?:\s|/\*.*?\*/|(?:--|//)[^\r\n]*)*+\(", re.IGNORECASE | re.DOTALL)
"""A type whose text holds a serializer, which Flink reads as it reads a savepoint's: with the classes that it names.

Wherever it is: what of a text is a comment depends on which of Flink's parsers reads it.
"""


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
    check_text(re.sub(r"\\(?:u\w{4}|.)", "\n", json.dumps(json.loads(text), ensure_ascii=False)))


def check_text(text: str) -> None:
    """Raises NotReplayedError where a text may hold a serializer."""
    if re.search(rf"(?<![\w$]){_SERIALIZED.pattern}", text, _SERIALIZED.flags):
        raise NotReplayedError(SERIALIZED)


def holds_serializer(compiled: bytes) -> bool:
    """The same of a compiled class: the compiler knows the texts of hints, whatever they are put together of."""
    return _SERIALIZED.search(compiled.decode("utf-8", "replace")) is not None
