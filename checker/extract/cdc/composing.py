"""The job that Flink CDC makes of a pipeline: ``FlinkPipelineComposer`` and its translators, release by release."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from checker.errors import DocumentError, ExtractionError
from checker.extract.cdc.pipelines import (
    RELEASE,
    CdcPipeline,
    Row,
    names_of,
    of_release,
    option,
    pipeline_of,
    releases,
    releases_of,
    since,
    table,
)
from checker.extract.connectors.tables import INPUT, operator_of
from checker.extract.python.extraction import flink_version
from checker.model.declared_state import AS_NAMED, LOG, LOG_AND_NEW_TABLES, WHOLE
from checker.model.flink_releases import minor_of
from checker.model.nested import spelled, split_list
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Decided, Kind, Mode, Topology, Transformation, Variant
from checker.model.unknowns import OF_TABLES, Cause, Maybe, Unknown, given_by

_SCHEMA_UID = "schema.operator.uid"
_PREFIX = "operator.uid.prefix"
_DEFAULT_UID = "$$_schema_operator_$$"
_SCHEMA_OPERATOR = "schema-operator"
_PATTERN = re.compile(r"[\\\[\]()*+?|]")
_ADDRESS = re.compile(
    r"(^|[._-])(pass\w*|secret|token|hosts?|hostname|ports?|user|username|ur[li]s?|address(es)?|servers?|endpoints?|\w*nodes"
    r"|(access|secret|api)[._-]?key|description)($|[._-])",
    re.IGNORECASE,
)


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The job of a pipeline; where the release is not known, the jobs of all that may be meant.

    Raises DocumentError for what Flink CDC refuses, PipelineMissingError where there is no such file.
    """
    pipeline, read = pipeline_of(files, entry)
    named, naming = releases_of(files, entry)
    minors = {".".join(release.split(".")[:2]) for release in named}
    known = [release for release in releases() if release in minors]
    if further := minors - set(known):
        raise DocumentError(
            f"{entry.file}: cannot tell which operators Flink CDC {', '.join(sorted(further))} composes"
        )
    asked = (entry.flink, ()) if entry.flink else flink_version(files, entry.file or "")
    shapes: dict[tuple[Transformation, ...], list[str]] = {}
    refusals: dict[str, None] = {}
    for release in known or releases():
        try:
            operators = _Composing(pipeline, release, asked[0] or table()["flink"][release]).operators()
        except DocumentError as refused:
            refusals[str(refused)] = None
            continue
        shapes.setdefault(operators, []).append(release)
    if not shapes:
        raise DocumentError("; ".join(refusals))
    newest = list(shapes.values())[-1][-1]
    variants = tuple(
        Variant(
            when=f"Flink CDC {at[0]}" if len(at) == 1 else f"Flink CDC {at[0]} to {at[-1]}",
            ways=tuple((Decided(condition=RELEASE, outcome=release),) for release in at),
            transformations=operators,
        )
        for operators, at in shapes.items()
    )
    parallelism = option(pipeline.options, "parallelism", "1")
    return Topology(
        name=entry.name,
        transformations=variants[-1].transformations,
        variants=variants if len(variants) > 1 else (),
        variants_unknown=Unknown(
            "no value is given for the release of Flink CDC that composes the pipeline",
            Cause.EXTERNAL,
            settled_by=given_by(RELEASE),
            derived_from=RELEASE,
        )
        if len(variants) > 1
        else None,
        flink=asked[0] or table()["flink"][newest],
        parallelism=_count(parallelism),
        mode=Mode.BATCH if _decided(pipeline.options, "execution.runtime-mode") == "batch" else Mode.STREAMING,
        location=pipeline.location,
        extractor=entry.extract.value,
        files=tuple(dict.fromkeys((*read, *naming, *asked[1]))),
    )


def _count(text: Maybe[str] | None) -> Maybe[int]:
    if isinstance(text, Unknown):
        return text
    return int(text) if text and text.isdecimal() and 0 < int(text) < 100_000 else 1


def _decided(options: Mapping[str, Any], key: str, default: str = "") -> str:
    """An option that decides which operators there are, in lower case. Raises ExtractionError where it is not known."""
    value = option(options, key, default)
    if isinstance(value, Unknown):
        raise ExtractionError(value.reason)
    return (value or "").lower()


@dataclass
class _Composing:
    """One pipeline under one release, its operators in the order in which they are created."""

    pipeline: CdcPipeline
    release: str
    flink: str
    made: list[Transformation] = field(default_factory=list)

    def operators(self) -> tuple[Transformation, ...]:
        """All of them. Raises DocumentError where this release has no such pipeline."""
        parts = {"route": self.pipeline.routes, "transform": self.pipeline.transforms}
        if parts["transform"] and self.release == "3.0":
            raise DocumentError("Flink CDC 3.0 knows no transform")
        behaviour = _decided(self.pipeline.options, "schema.change.behavior", "evolve")
        rows = of_release(table()["operator"], self.release)
        conditions = {row.get("when") for row in rows}
        if "evolve" in conditions and behaviour not in conditions:
            raise DocumentError(f"Flink CDC {self.release} knows no schema.change.behavior {behaviour}")
        holds = {None, behaviour, *(part for part, given in parts.items() if given)}
        self._source()
        for row in rows:
            if row.get("when") in holds:
                self._add(row, self._uid(row.get("uid")))
        self._sink()
        return tuple(self.made)

    def _uid(self, suffix: str | None) -> Maybe[str] | None:
        prefix = option(self.pipeline.options, _PREFIX) if minor_of(self.release) >= (3, 5) else None
        return f"{prefix}-{suffix}" if suffix and isinstance(prefix, str) else prefix if suffix else None

    def _schema_uid(self) -> Maybe[str] | None:
        own = option(self.pipeline.options, _SCHEMA_UID, _DEFAULT_UID)
        prefixed = self._uid(_SCHEMA_OPERATOR)
        if prefixed is not None and own != _DEFAULT_UID:
            raise DocumentError(f"Flink CDC takes only one of {_PREFIX} and {_SCHEMA_UID}")
        return own if prefixed is None else prefixed

    def _add(self, row: Row, uid: Maybe[str] | None = None, **more: Any) -> None:
        """One operator behind the last one."""
        last = (self.made[-1].id,) if self.made else ()
        made = operator_of({"kind": "operator", "inputs": [INPUT], **row, "uid": None}, {}, self.flink)
        made = replace(made, **{"inputs": last, "location": self.pipeline.place("pipeline"), **more})
        if not made.kind.virtual:
            made = replace(made, uid=row.get("fixed_uid", uid))
        if made.id == _SCHEMA_OPERATOR:
            place = self.pipeline.place("route" if self.pipeline.routes else "pipeline")
            made = replace(made, uid=self._schema_uid(), reads=self._kept_of_tables(), location=place)
        self.made.append(made)

    def _kept_of_tables(self) -> tuple[str, ...]:
        """What decides on the schemas of tables that the schema operator keeps."""
        routes = [f"{r.get('source-table')} → {r.get('sink-table')}" for r in self.pipeline.routes]
        columns = ("projection", "primary-keys", "partition-keys", "table-options")
        shaped = [
            f"{t.get('source-table')} with {column} {' '.join(spelled(t[column]).split())}"
            for t in self.pipeline.transforms
            for column in columns
            if t.get(column) is not None
        ]
        others = (*self._of_others(routes, AS_NAMED), *self._of_others(shaped, WHOLE))
        return tuple(dict.fromkeys((*routes, *shaped, *others)))

    def _of_others(self, ruled: Sequence[str], otherwise: str) -> Iterator[str]:
        """What holds for the tables of the source that no rule names; none where a rule or the source has patterns."""
        tables = option(self.pipeline.source, "tables")
        items = split_list(tables) if isinstance(tables, str) else []
        named = [rule.partition(" ")[0] for rule in ruled]
        if not any(map(_PATTERN.search, (*items, *named))):
            yield from (otherwise.format(item) for item in items if item not in named)

    def _source(self) -> None:
        options, place = self.pipeline.source, self.pipeline.place("source")
        type_ = option(options, "type") or ""
        row = next((r for r in of_release(table()["source"], self.release) if r["type"] == type_), None)
        if row is None:
            self.made.append(_open("source", self._why(type_, "source"), options, (), place))
            return
        tables = option(options, "tables")
        at = [
            spelled(options[key]) for key in ("hostname", "hosts", "port", "slot.name") if options.get(key) is not None
        ]
        items = tuple(split_list(tables)) if isinstance(tables, str) else ()
        named = f"{options.get('name') or f'Flink CDC Event Source: {type_}'}"
        looks = any(spelled(options.get(f"scan.{log}newly-added-table.enabled")) == "true" for log in ("", "binlog."))
        self.made.append(
            Transformation(
                id="source",
                kind=Kind.SOURCE,
                name=named,
                uid=self._uid("source"),
                operator=LOG_AND_NEW_TABLES if looks else LOG,
                function=row["class"],
                reads=() if any(map(_PATTERN.search, items)) else items,
                reads_by=items or ((tables.reason,) if isinstance(tables, Unknown) else ()),
                reads_at=(" ".join(at),) if at else (),
                location=place,
            )
        )

    def _why(self, type_: Maybe[str], part: str) -> str:
        """Why the operators of a connector are not known. Raises DocumentError where only other releases have it."""
        if isinstance(type_, Unknown):
            return type_.reason
        known = of_release(table()[part], self.release)
        if type_ in names_of(part) and all(row["type"] != type_ for row in known):
            raise DocumentError(f"Flink CDC {self.release} has no {part} '{type_}'")
        return f"cannot tell which operators Flink CDC makes of the {part} '{type_}'"

    def _sink(self) -> None:
        options, place = self.pipeline.sink, self.pipeline.place("sink")
        type_ = option(options, "type") or ""
        rows = [r for r in of_release(table()["sink"], self.release) if r["type"] == type_]
        row = next((r for r in rows if self._chosen(r, options)), None)
        on_flink_2 = row.get("on_flink_2") if row is not None and minor_of(self.flink) >= (2, 0) else None
        if row is None or on_flink_2 == "unknown":
            why = self._why(type_, "sink") + (
                " on Flink 2" if on_flink_2 else f" with this {rows[0]['option']}" if rows else ""
            )
            self.made.append(_open("sink", why, options, (self.made[-1].id,), place))
            return
        name = options.get("name") or f"Flink CDC Event Sink: {type_}"
        self._around(row.get("before", ()), options)
        kind = Kind.LEGACY_SINK if row.get("legacy") else Kind.OPERATOR
        own = {"kind": kind, "function": row["class"], "location": place}
        if kind is Kind.OPERATOR:
            own["stateful"] = since(row, "writer_state", self.release)
        self._add({"id": "sink-writer", "name": f"Sink Writer: {name}", "operator": "sink-writer"},
                  self._uid("sink-writer"), **own)  # fmt: skip
        if row.get("committer") and on_flink_2 != "writer":
            self._around(row.get("between", ()), options)
            committer = {"id": "sink-committer", "name": f"Sink Committer: {name}", "operator": "sink-committer"}
            self._add(committer, self._uid("sink-committer"), **(own | {"stateful": True}))
            self._around(row.get("after", ()), options)

    def _chosen(self, row: Row, options: Mapping[str, Any]) -> bool:
        if "option" not in row:
            return True
        value = option(options, row["option"])
        return bool(row.get("default")) if value is None else str(value).lower() == row["value"].lower()

    def _around(self, rows: Iterable[Row], options: Mapping[str, Any]) -> None:
        for row in of_release(rows, self.release):
            key, _, wanted = row.get("when", "").partition("=")
            if not key or _decided(options, key) == wanted:
                self._add(row)


def _open(id_: str, why: str, options: Mapping[str, Any], inputs: tuple[str, ...], place: Any) -> Transformation:
    """Operators that are not known. What is not an address or a secret may decide on them."""
    deciding = sorted((key, spelled(value)) for key, value in options.items() if not _ADDRESS.search(key))
    digest = hashlib.sha256(repr(deciding).encode()).hexdigest()[:12]
    unknown = Unknown(why, Cause.CONNECTOR, location=place, derived_from=f"{OF_TABLES}{digest}")
    return Transformation(id=id_, kind=Kind.UNKNOWN, inputs=inputs, unknown=unknown, location=place)
