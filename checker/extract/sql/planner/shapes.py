"""The shape of a connector's tables: an entry of ``connectors.toml``, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from checker.extract.runtime.capture.jvm import java

Spec = Mapping[str, Any]
"""One connector as the request carries it: the fields of ``ConnectorSpec``."""


def changelog_mode(name: str) -> Any:
    """Flink's changelog mode of that name."""
    modes = java("table.connector.ChangelogMode")
    kinds = {"insert": modes.insertOnly, "upsert": modes.upsert, "all": modes.all}
    if name == "no-update-before":
        kind = java("types.RowKind")
        builder = modes.newBuilder()
        for row_kind in (kind.INSERT, kind.UPDATE_AFTER, kind.DELETE):
            builder.addContainedKind(row_kind)
        return builder.build()
    return kinds[name]()


def by_option(spec: Spec, key: str, options: Mapping[str, str], default: str) -> str:
    """A value of a spec that an option of the table may decide: ``{option, values, default}`` or plain."""
    value = spec.get(key, default)
    if isinstance(value, str):
        return value
    for name in value["options"]:
        given = options.get(name)
        found = None if given is None else value["values"].get(given.lower(), value["values"].get("*"))
        if found is not None:
            return str(found)
    return str(value.get("default", default))


def unknown_format(spec: Spec, options: Mapping[str, str]) -> str | None:
    """The format of a table, where it decides on the changes of its rows and is none whose changes are known."""
    value = spec.get("source_mode", spec.get("sink_mode"))
    if not isinstance(value, Mapping) or not value.get("only"):
        return None
    given = next((options[name] for name in value["options"] if name in options), None)
    return None if given is None or given.lower() in value["values"] else given


def has_key(context: Any) -> bool:
    """Whether a table has a primary key."""
    return bool(context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent())


def of_session(context: Any, name: str) -> str:
    """An option of the session, empty where it is not set."""
    option = java("configuration.ConfigOptions").key(name).stringType().noDefaultValue()
    return str(context.getConfiguration().getOptional(option).orElse(""))


def metadata(context: Any, order: Sequence[str]) -> Any:
    """What the table's own metadata columns ask for, with their types: in the connector's order where it is known."""
    asked = {}
    for column in context.getCatalogTable().getResolvedSchema().getColumns():
        if str(column.getClass().getSimpleName()) == "MetadataColumn":
            asked[str(column.getMetadataKey().orElse(column.getName()))] = column.getDataType()
    found = java("java.util.LinkedHashMap")()
    for key in (*(key for key in order if key in asked), *(key for key in asked if key not in order)):
        found.put(key, asked[key])
    return found
