"""Types as Flink takes them (``TypeExtractor``): what Kryo writes is marked, basic types have names of their own."""

from __future__ import annotations

from checker.extract.datastream.flink_names import table, words
from checker.extract.java.state.java_types import JavaType, as_tuple
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.model.released_api import ReleasedApi

_EXTRACTED = words("types_with_other_serializers")
"""Classes of Java's library for which it finds a serializer other than Kryo's: basic types and enums."""
_COLLECTIONS = table("collections")
"""Collections that Flink writes itself since 2.0, where all type arguments are plain classes."""


def flink_text(index: ClassIndex, api: ReleasedApi, type_: JavaType) -> str:
    """The type as ``TypeExtractor`` takes it, as ``GenericType<…>`` where Kryo writes it as a whole."""
    if type_.dimensions:
        return flink_text(index, api, type_.element) + "[]"
    type_ = as_tuple(index, type_)
    name, arguments = type_.name, type_.arguments
    if isinstance(type_.target, External) and not type_.target.name.startswith("org.apache.flink."):
        collection = _COLLECTIONS.get(type_.target.name) if api.collections_have_serializers else None
        if collection is not None and arguments and all(map(_plain_class, arguments)):
            name = collection
        elif arguments or (type_.target.name.startswith("java.") and type_.target.name not in _EXTRACTED):
            return f"GenericType<{type_}>"
    elif isinstance(type_.target, External) and type_.simple == "Row":
        return "GenericType<Row>"  # nothing says which fields it has
    spelled = ", ".join(flink_text(index, api, argument) for argument in arguments)
    return f"{name}<{spelled}>" if spelled else name


def _plain_class(type_: JavaType) -> bool:
    return not type_.arguments and type_.known and type_.name != "?"
