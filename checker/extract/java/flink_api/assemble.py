"""Makes one topology of what the interpreted paths declared: stable handles, alternatives, settings of the job."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from checker.extract.interpreting.path_choices import Decision
from checker.extract.interpreting.shapes import Way, label_of, ways_to, what_decides
from checker.extract.interpreting.trace import Trace
from checker.extract.java.machine.flink_values import DEFAULT, UNSET, Draft, EnvValue, Job
from checker.extract.unread_code import NEEDS_CODE
from checker.model.pipelines import PipelineEntry
from checker.model.table_programs import HandedStream, TableHole, TableProgram
from checker.model.topology import Kind, Topology, Transformation, Variant
from checker.model.unknowns import BY_DEPLOYMENT, Cause, Location, Maybe, Unknown

MAX_VARIANTS = 8
HANDLE = "@"


Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program that executes a job."""

    job: Job
    decisions: tuple[Decision, ...]


def outline(job: Job) -> Any:
    """The shape of a job, roughly: equal outlines become one shape in the end."""
    number = {id(draft): place for place, draft in enumerate(job.drafts)}
    return tuple(
        (d.site.trail, d.site.place, d.site.call, d.kind, d.operator, tuple(number.get(id(i), -1) for i in d.inputs),
          tuple(operator.kind for stage in (d.pre_write, d.pre_commit, d.post_commit) for operator in stage))
        for d in job.drafts
    )  # fmt: skip


class Handles:
    """Ids of transformations, from uid, name or call and never from lines: equal for the same call on every path."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._keys: dict[int, Key] = {}
        self._keep: list[Draft] = []
        first: dict[Key, Draft] = {}
        bases: dict[Key, str] = {}
        for path in paths:
            seen: Counter[Key] = Counter()
            for draft in _all_drafts(path.job.drafts):
                site = draft.site
                call: Key = (site.trail, site.place, site.call)
                key = (*call, seen[call])
                seen[call] += 1
                self._keys[id(draft)] = key
                self._keep.append(draft)
                first.setdefault(key, draft)
        for key, draft in first.items():
            bases[key] = _base(draft)
        used: Counter[str] = Counter()
        self._ids: dict[Key, str] = {}
        for key in sorted(first):
            base = bases[key]
            used[base] += 1
            self._ids[key] = base if used[base] == 1 else f"{base} #{used[base]}"

    def of(self, draft: Draft) -> str:
        """The handle of a draft."""
        return self._ids[self._keys[id(draft)]]

    def knows(self, draft: Draft) -> bool:
        """Whether the draft was declared on one of the paths."""
        return id(draft) in self._keys


def _all_drafts(drafts: Iterable[Draft]) -> Iterable[Draft]:
    for draft in drafts:
        yield draft
        for stage in (draft.pre_write, draft.pre_commit, draft.post_commit):
            yield from _all_drafts(stage)


def _base(draft: Draft) -> str:
    if isinstance(draft.uid, str) and draft.uid and not draft.uid_depends_on:
        return draft.uid
    where = draft.site.path[-1] if draft.site.path else "main"
    call = draft.site.call
    if draft.variable is not None and "#" not in call:
        return f"{where}/{draft.variable}:{call}"
    return f"{where}/{call}"


def topology(
    entry: PipelineEntry,
    paths: Sequence[Path],
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
    handles = Handles(paths)
    shapes = [_transformations(path.job, handles, entry) for path in paths]
    settings = [_settings(path.job.env, entry) for path in paths]
    distinct, owners = _distinct(shapes, paths)
    if trace is not None:
        tables = tuple(_tables(mine[0].job, handles) for mine in owners)
        trace.tables = tables if any(table.holes for table in tables) else ()
    transformations = distinct[0]
    variants: tuple[Variant, ...] = ()
    unknown: Unknown | None = None
    if len(distinct) > 1:
        unknown = _decides(owners)
    if len(distinct) > MAX_VARIANTS and cut is None:
        cut = replace(
            unknown or Unknown(""), cause=Cause.BRANCH,
            reason=f"the program takes {len(distinct)} shapes: {unknown.reason if unknown else ''}",
        )  # fmt: skip
    if cut is not None:
        hole = Transformation(id="(not followed)", kind=Kind.UNKNOWN, unknown=cut, location=cut.location)
        transformations = (hole, *transformations)
        unknown = cut
    elif len(distinct) > 1:
        ways = _ways(owners)
        variants = tuple(
            Variant(when=label_of(mine, ways), ways=ways_to(mine, ways), transformations=shape)
            for shape, mine in zip(distinct, ways, strict=True)
        )
    merged = _merged_settings(settings)
    uses_default = any(t.parallelism is None and not t.kind.virtual for shape in distinct for t in shape)
    parallelism = merged.pop("parallelism")
    if isinstance(parallelism, Unknown) and not uses_default:
        parallelism = 1
    return Topology(
        name=entry.name, transformations=transformations, flink=flink, parallelism=parallelism, variants=variants,
        variants_unknown=unknown, location=location, extractor="java", files=files, **merged,
    )  # fmt: skip


Shape = tuple[Transformation, ...]


def _distinct(shapes: Sequence[Shape], paths: Sequence[Path]) -> tuple[list[Shape], list[list[Path]]]:
    """The different shapes with their paths. Those that differ in settings only become one with unknown settings."""
    groups: dict[Any, list[tuple[Shape, Path]]] = {}
    for shape, path in zip(shapes, paths, strict=True):
        groups.setdefault(tuple(_structure(t) for t in shape), []).append((shape, path))
    distinct: list[Shape] = []
    owners: list[list[Path]] = []
    for group in groups.values():
        different = list(dict.fromkeys(shape for shape, _ in group))
        if len(different) > 1:
            unknown = _decides([[path for own, path in group if own == shape] for shape in different])
            different = [tuple(_joined(same, unknown) for same in zip(*different, strict=True))]
        distinct.append(different[0])
        owners.append([path for _, path in group])
    return distinct, owners


def _decides(owners: Sequence[Sequence[Path]]) -> Unknown:
    return what_decides(_ways(owners), "which of several shapes the program takes is not known", not_known=NEEDS_CODE)


def _ways(owners: Sequence[Sequence[Path]]) -> list[list[Way]]:
    return [[path.decisions for path in mine] for mine in owners]


def _structure(t: Transformation) -> Any:
    """What makes two declarations different shapes, not the same one with other settings."""
    stages = tuple(
        tuple(_structure(operator) for operator in stage) for stage in (t.pre_write, t.pre_commit, t.post_commit)
    )
    return (t.id, t.kind, t.inputs, t.operator, t.keyed, t.tag, t.feedback, stages)


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
        changes[name] = replace(unknown, options=tuple(dict.fromkeys(known)) if plain else ())
    for name in ("function", "location", "uid_location", "uid_hash_location", "key", "key_type", "key_classes",
                 "uid_depends_on", "iteration", "reads", "reads_by"):  # fmt: skip
        if any(getattr(transformation, name) != getattr(first, name) for transformation in same):
            changes[name] = () if name in ("uid_depends_on", "key_classes", "reads", "reads_by") else None
    for name in ("yielding", "uid_hashes", "exchange", "output_at_end", "co_feedback", "unknown"):
        values = [getattr(transformation, name) for transformation in same]
        if any(value != values[0] for value in values):
            changes["kind"], changes["unknown"] = Kind.UNKNOWN, unknown
    stages = ("pre_write", "pre_commit", "post_commit")
    for name in stages:
        parts = [getattr(transformation, name) for transformation in same]
        if any(part != parts[0] for part in parts):
            changes[name] = tuple(_joined(ones, unknown) for ones in zip(*parts, strict=True))
    return replace(first, **changes)


def _settings(env: EnvValue, entry: PipelineEntry) -> dict[str, Any]:
    default: Maybe[int]
    if entry.default_parallelism is not None:
        default = entry.default_parallelism
    else:
        default = Unknown(
            "the program leaves the default parallelism to the deployment",
            Cause.ARGUMENT,
            "--parallelism",
            derived_from=BY_DEPLOYMENT,
        )
    maximum = env.max_parallelism if env.max_parallelism is not None else entry.max_parallelism
    return {
        "parallelism": default,
        "max_parallelism": maximum,
        "chaining": env.chaining,
        "auto_generate_uids": env.auto_generate_uids,
        "chain_different_max_parallelism": env.chain_different_max_parallelism,
        "mode": env.mode,
        "vertex_index_prefix": env.vertex_index_prefix,
        "state_backend": env.state_backend,
    }


def _merged_settings(settings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    merged = dict(settings[0])
    for later in settings[1:]:
        for key, value in later.items():
            if merged[key] != value and not isinstance(merged[key], Unknown):
                merged[key] = (
                    value if isinstance(value, Unknown)
                    else Unknown(f"{key.replace('_', ' ')} depends on a condition", Cause.BRANCH)
                )  # fmt: skip
    return merged


def _tables(job: Job, handles: Handles) -> TableProgram:
    """What one way through the program asks of the Table API for this job."""
    holes = tuple(
        TableHole(handle=handles.of(draft), step=draft.table_step, parallelism=_plain(job.env.parallelism))
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


def _plain(parallelism: object) -> Maybe[int] | None:
    return parallelism if isinstance(parallelism, int | Unknown) else None


def _transformations(job: Job, handles: Handles, entry: PipelineEntry) -> tuple[Transformation, ...]:
    iterations = _iterations(job.drafts)
    return tuple(
        replace(_transformation(draft, handles, job.env, entry), iteration=iterations.get(id(draft)))
        for draft in job.drafts
    )


def _iterations(drafts: Sequence[Draft]) -> dict[int, str]:
    """For operators that one call makes several times: digests of what their functions hold and of their names."""
    made = Counter((draft.site.path, draft.site.call, draft.site.place) for draft in drafts)
    several = [d for d in drafts if made[d.site.path, d.site.call, d.site.place] > 1 and not d.kind.virtual]
    return {
        id(draft): hashlib.sha256(f"{draft.holds}\0{draft.name}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        for draft in several
        if draft.holds is not None and (draft.name is None or isinstance(draft.name, str))
    }


def _transformation(draft: Draft, handles: Handles, env: EnvValue, entry: PipelineEntry) -> Transformation:
    parallelism: Maybe[int] | None
    if draft.parallelism is DEFAULT:
        parallelism = None
    elif draft.parallelism is UNSET:
        parallelism = env.parallelism if isinstance(env.parallelism, int | Unknown) else None
    else:
        assert isinstance(draft.parallelism, int | Unknown)
        parallelism = draft.parallelism

    def below(operators: Iterable[Draft]) -> tuple[Transformation, ...]:
        return tuple(_transformation(operator, handles, env, entry) for operator in operators)

    attributes: dict[str, Any] = {name: getattr(draft, name) for name in _SAME}
    return Transformation(
        id=handles.of(draft),
        inputs=tuple(_input(input_, handles) for input_ in draft.inputs),
        parallelism=None if draft.kind.virtual else parallelism,
        pre_write=below(draft.pre_write),
        pre_commit=below(draft.pre_commit),
        post_commit=below(draft.post_commit),
        feedback=tuple(_input(source, handles) for source in draft.feedback),
        **attributes,
    )


_TRANSLATED = frozenset({"inputs", "parallelism", "pre_write", "pre_commit", "post_commit", "feedback"})
_SAME = frozenset(f.name for f in fields(Transformation)) & frozenset(f.name for f in fields(Draft)) - _TRANSLATED
"""Attributes that a draft and its transformation have in common."""


def _input(draft: Draft, handles: Handles) -> str:
    return HANDLE if draft.name == HANDLE and not handles.knows(draft) else handles.of(draft)
