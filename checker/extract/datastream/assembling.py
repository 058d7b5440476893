"""Makes one topology of what the followed paths declared: stable handles, alternatives, settings of the job."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any

from checker.extract.datastream.records import DEFAULT, UNSET, Draft, Job
from checker.extract.interpreting.memory import Trace
from checker.extract.interpreting.shapes import Decision, Way, label_of, ways_to, what_decides
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.pipelines import PipelineEntry
from checker.model.table_programs import HandedStream, TableHole, TableProgram
from checker.model.topology import Kind, Topology, Transformation, Variant
from checker.model.unknowns import BY_DEPLOYMENT, Cause, Location, Maybe, Unknown

MAX_VARIANTS = 16
Key = tuple[Any, ...]
Shape = tuple[Transformation, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program that executes a job."""

    job: Job
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """In what the readers of two languages differ where paths become a topology."""

    extractor: str
    program: str
    """What messages call the program."""
    base: Callable[[Draft], str]
    """What a transformation is called in a topology: its handle, but for a number."""
    joins: bool
    """Whether ways that differ in settings only are one shape with settings that are not known."""


class Handles:
    """Ids of transformations, from uid, name or call and never from lines: equal for the same call on every path."""

    def __init__(self, paths: Sequence[Path], reading: Reading) -> None:
        self._keys: dict[int, Key] = {}
        first: dict[Key, Draft] = {}
        for path in paths:
            seen: Counter[Key] = Counter()
            for draft in path.job.drafts:
                call: Key = (draft.site.trail, draft.site.place, draft.site.call)
                key = (*call, seen[call])
                seen[call] += 1
                for part in (draft, *draft.parts):
                    self._keys[id(part)] = key
                first.setdefault(key, draft)
        used: Counter[str] = Counter()
        self._ids: dict[Key, str] = {}
        for key in sorted(first):
            base = reading.base(first[key])
            used[base] += 1
            self._ids[key] = base if used[base] == 1 else f"{base} #{used[base]}"

    def of(self, draft: Draft) -> str:
        """The handle of a draft."""
        return self._ids[self._keys[id(draft)]]

    def knows(self, draft: Draft) -> bool:
        """Whether the draft was declared on one of the paths."""
        return id(draft) in self._keys


def topology(
    entry: PipelineEntry,
    paths: Sequence[Path],
    reading: Reading,
    *,
    flink: str | None,
    location: Location | None,
    files: tuple[str, ...],
    cut: Unknown | None,
    trace: Trace | None = None,
) -> Topology:
    """One topology for all paths; ``cut`` says why there may be more than these.

    ``trace`` keeps what each shape asks of the Table API.
    """
    handles = Handles(paths, reading)
    distinct, owners = _distinct([_transformations(path.job, handles) for path in paths], paths, reading)
    if trace is not None:
        tables = tuple(_tables(mine[0].job, handles) for mine in owners)
        trace.tables = tables if any(table.holes for table in tables) else ()
    shown = distinct[0] if distinct else ()
    variants: tuple[Variant, ...] = ()
    unknown = _decides(owners, reading) if len(distinct) > 1 else None
    if len(distinct) > MAX_VARIANTS and cut is None and unknown is not None:
        reason = f"{reading.program} takes {len(distinct)} shapes ({unknown.reason})"
        cut = replace(unknown, cause=Cause.BRANCH, reason=reason)
    if cut is not None:
        unknown = replace(cut, location=cut.location or location)
        hole = Transformation(id="(not followed)", kind=Kind.UNKNOWN, unknown=unknown, location=unknown.location)
        shown = (hole, *shown)
    elif len(distinct) > 1:
        ways = _ways(owners)
        variants = tuple(
            Variant(when=label_of(mine, ways), ways=ways_to(mine, ways), transformations=shape)
            for shape, mine in zip(distinct, ways, strict=True)
        )
    return Topology(
        name=entry.name, transformations=shown, flink=flink, parallelism=_parallelism(entry, distinct, reading.program),
        variants=variants, variants_unknown=unknown, location=location, extractor=reading.extractor, files=files,
        executed=not paths or any(path.job.executed for path in paths),
        **_settings([path.job for path in paths], entry),
    )  # fmt: skip


def alone(job: Job, reading: Reading) -> Any:
    """Everything that decides on a job's shape, for comparing paths."""
    handles = Handles((Path(job, ()),), reading)
    return (
        _transformations(job, handles), _tables(job, handles), *job.settings.values(), job.location,
        job.unknown,
    )  # fmt: skip


# -- shapes ----------------------------------------------------------------------------------------------------------


def _distinct(shapes: Sequence[Shape], paths: Sequence[Path], reading: Reading) -> tuple[list[Shape], list[list[Path]]]:
    """The different shapes with their paths."""
    groups: dict[Any, list[tuple[Shape, Path]]] = {}
    for shape, path in zip(shapes, paths, strict=True):
        same = tuple(_structure(t) for t in shape) if reading.joins else shape
        groups.setdefault(same, []).append((shape, path))
    distinct: list[Shape] = []
    owners: list[list[Path]] = []
    for group in groups.values():
        different = list(dict.fromkeys(shape for shape, _ in group))
        if len(different) > 1:
            unknown = _decides([[path for own, path in group if own == shape] for shape in different], reading)
            different = [tuple(_joined(same, unknown) for same in zip(*different, strict=True))]
        distinct.append(different[0])
        owners.append([path for _, path in group])
    return distinct, owners


def _decides(owners: Sequence[Sequence[Path]], reading: Reading) -> Unknown:
    otherwise = f"cannot tell which of several shapes {reading.program} takes"
    return what_decides(_ways(owners), otherwise, not_known=NEEDS_CODE)


def _ways(owners: Sequence[Sequence[Path]]) -> list[list[Way]]:
    return [[path.decisions for path in mine] for mine in owners]


def _structure(t: Transformation) -> Any:
    """What makes two declarations different shapes, not the same one with other settings."""
    stages = tuple(
        tuple(_structure(operator) for operator in stage) for stage in (t.pre_write, t.pre_commit, t.post_commit)
    )
    return (t.id, t.kind, t.inputs, t.operator, t.keyed, t.tag, stages)


_LOCATION = re.compile(r"Location\([^()]*\)")


def _one_of(unknown: Unknown, values: Sequence[object]) -> str:
    """What one of several values is made of: what decides which, and each; ``NEEDS_CODE`` where one could be any."""
    texts = [value.derived_from if isinstance(value, Unknown) else _LOCATION.sub("", repr(value)) for value in values]
    if unknown.derived_from is None or None in texts or NEEDS_CODE in (unknown.derived_from, *texts):
        return NEEDS_CODE
    return f"{unknown.derived_from} of {sha256(repr(texts).encode()).hexdigest()[:16]}"


def _joined(same: Sequence[Transformation], unknown: Unknown) -> Transformation:
    """One declaration for several that differ in settings: those are unknown, of known values."""
    first = same[0]
    changes: dict[str, Any] = {}
    for name in Draft.SETTINGS:
        values = [getattr(transformation, name) for transformation in same]
        if all(value == values[0] for value in values):
            continue
        known = [value for value in values if value is not None and not isinstance(value, Unknown)]
        plain = len(known) == len(values) and all(isinstance(value, str | int) for value in known)
        options = tuple(dict.fromkeys(known)) if plain else ()
        changes[name] = replace(unknown, options=options, derived_from=_one_of(unknown, values))
    for name in ("function", "location", "uid_location", "uid_hash_location", "key", "key_at", "key_type",
                 "key_classes", "reads", "reads_by", "reads_at"):  # fmt: skip
        values = [getattr(transformation, name) for transformation in same]
        if any(value != values[0] for value in values):
            changes[name] = () if isinstance(values[0], tuple) else None
            if name == "key":
                changes[name] = replace(unknown, derived_from=_one_of(unknown, values))
    for name in ("yielding", "uid_hashes", "unknown"):
        values = [getattr(transformation, name) for transformation in same]
        if any(value != values[0] for value in values):
            changes["kind"], changes["unknown"] = Kind.UNKNOWN, unknown
    for name in ("pre_write", "pre_commit", "post_commit"):
        parts = [getattr(transformation, name) for transformation in same]
        if any(part != parts[0] for part in parts):
            changes[name] = tuple(_joined(ones, unknown) for ones in zip(*parts, strict=True))
    return replace(first, **changes)


# -- settings of the job ---------------------------------------------------------------------------------------------


def default_parallelism(entry: PipelineEntry, program: str) -> Maybe[int]:
    """The parallelism of operators for which the program sets none."""
    if entry.default_parallelism is not None:
        return entry.default_parallelism
    why = f"{program} leaves the default parallelism to the deployment"
    return Unknown(why, Cause.ARGUMENT, "--parallelism", derived_from=BY_DEPLOYMENT)


def _parallelism(entry: PipelineEntry, shapes: Sequence[Shape], program: str) -> Maybe[int]:
    """The deployment's parallelism, or 1 where no operator asks for it."""
    default = default_parallelism(entry, program)
    physical = [transformation for shape in shapes for transformation in shape if not transformation.kind.virtual]
    asked = not shapes or any(transformation.parallelism is None for transformation in physical)
    return default if asked or not isinstance(default, Unknown) else 1


def _settings(jobs: Sequence[Job], entry: PipelineEntry) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for job in jobs:
        for key, value in job.settings.items():
            if key == "max_parallelism" and value is None:
                value = entry.max_parallelism
            known = merged.setdefault(key, value)
            if known != value and not isinstance(known, Unknown):
                depends = Unknown(f"the {key.replace('_', ' ')} of the job depends on a condition", Cause.BRANCH)
                merged[key] = value if isinstance(value, Unknown) else depends
    merged.pop("parallelism", None)
    return merged


# -- one path --------------------------------------------------------------------------------------------------------


def _tables(job: Job, handles: Handles) -> TableProgram:
    """What one way through the program asks of the Table API for this job."""
    parallelism = job.settings["parallelism"]
    holes = tuple(
        TableHole(
            handle=handles.of(draft), step=draft.table_step, parallelism=None if parallelism is DEFAULT else parallelism
        )
        for draft in job.drafts
        if draft.table_step is not None
    )
    last = max((hole.step for hole in holes), default=-1)
    streams = tuple(
        HandedStream(
            handle=handles.of(draft) if handles.knows(draft) else None, type=type_, classes=classes, names=names
        )
        for draft, type_, classes, names in job.table_streams
    )
    return TableProgram(steps=job.table_steps[: last + 1], streams=streams, holes=holes)


def _transformations(job: Job, handles: Handles) -> Shape:
    return tuple(_transformation(draft, handles, job) for draft in job.drafts)


def _transformation(draft: Draft, handles: Handles, job: Job) -> Transformation:
    parallelism = job.settings["parallelism"] if draft.parallelism is UNSET else draft.parallelism
    attributes: dict[str, Any] = {name: getattr(draft, name) for name in _SAME}
    return Transformation(
        id=handles.of(draft),
        inputs=tuple(handles.of(input_) for input_ in draft.inputs),
        parallelism=None if draft.kind.virtual or parallelism is DEFAULT else parallelism,
        **attributes,
    )


_TRANSLATED = frozenset({"inputs", "parallelism"})
_SAME = frozenset(f.name for f in fields(Transformation)) & frozenset(f.name for f in fields(Draft)) - _TRANSLATED
"""Attributes that a draft and its transformation have in common."""
