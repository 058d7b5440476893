"""What classes are to Flink, by the super types that they name, and the calls that register state or choose keys."""

import re
from typing import Final

from checker.extract.datastream.table import words
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import factory_type
from checker.model.declared_state import DESCRIPTORS
from checker.model.program_code import Role

STATE_NAMES: Final = words("state_names").union(DESCRIPTORS)
"""Names of Flink's API that code mentions where it registers state."""
GRAPH_NAMES = words("graph_names")
"""Names of Flink's API that code mentions where it builds a graph."""
LOOK_UPS: Final = words("look_ups")
"""Calls that look for code by its name."""
SERIALIZER_CALLS = words("serializer_calls")
"""Calls and options that decide by which serializers state is written.

Those that only register classes are none: a snapshot holds the old registrations, and Flink takes them over. Asked of
1.20.5 and 2.3.0, classes registered, left out and reordered, on both backends.
"""
SERIALIZER_KEYS: Final = re.compile(r"pipeline\.(?:generic-types|serialization-config|default-kryo-serializers)\b")
"""The same choices by key. What forces a serializer is read (``serializer_settings``)."""
KEY_CALLS: Final = frozenset({"keyBy", "where", "equalTo", "partitionCustom"})
"""Calls whose arguments choose keys."""
DECIDING_NAMES: Final = STATE_NAMES | GRAPH_NAMES | SERIALIZER_CALLS | KEY_CALLS | words("deciding_names")
"""Names that code mentions which may decide the graph, a state, a key or how state is written."""
PATTERN_CONDITION: Final = re.compile(
    r"(?:new\s+)?(?:\w+\s*\.\s*)*(?:Simple|RichIterative|Iterative|Subtype)Condition\b"
)
"""How the argument of a pattern's ``where`` begins, which chooses no keys: no condition of CEP is a ``KeySelector``."""

_SERIALIZERS: Final = words("serializers")
_KAFKA: Final = "org.apache.kafka."
"""Its serializers write records of topics, and no state."""
_TRANSACTIONS: Final = frozenset({"TwoPhaseCommitSinkFunction"})
_FLINK: Final = ("org.apache.flink.",)
_DATA_OF_FLINK: Final = ("org.apache.flink.api.java.tuple.", "org.apache.flink.types.")


_CALLED_BY_FLINK: Final = re.compile(
    r"(?!(?:Int|Long|Double|Bi)?Function$|To\w+Function$|(?:Int|Long|Double)To\w+Function$)"
    r"(?:\w+(?:Function|Schema|Operator|Selector|Assigner|Condition|Generator|Partitioner)"
    r"|\w*(?:Source|Sink|SourceReader|SplitEnumerator|SinkWriter|Trigger|Evictor))"
)
"""What Flink's interfaces for user code are called, and none of ``java.util.function``."""


def of_flink(external: External) -> bool:
    """Whether a class or interface is one of Flink's for code that it calls; packages may be imported as a whole."""
    flink = [n.startswith(_FLINK) and not n.startswith(_DATA_OF_FLINK) for n in external.candidates]
    return flink[0] or (any(flink) and _CALLED_BY_FLINK.fullmatch(external.simple) is not None)


def _of_kafka(ancestor: ClassDecl | External) -> bool:
    return isinstance(ancestor, External) and all(name.startswith(_KAFKA) for name in ancestor.candidates)


def role_of(decl: ClassDecl, index: ClassIndex) -> Role:
    """What a class is to Flink."""
    function = False
    for ancestor in index.ancestors(decl):
        simple = ancestor.name if isinstance(ancestor, ClassDecl) else ancestor.simple
        if simple in _SERIALIZERS and not _of_kafka(ancestor):
            read = simple == "TypeInfoFactory" and factory_type(index, decl) is not None
            return Role.FUNCTION if read else Role.SERIALIZER
        if simple in _TRANSACTIONS:
            return Role.TRANSACTIONS
        if simple == "KeySelector":
            return Role.KEY_SELECTOR
        function = function or (not isinstance(ancestor, ClassDecl) and of_flink(ancestor))
    return Role.FUNCTION if function else Role.DATA
