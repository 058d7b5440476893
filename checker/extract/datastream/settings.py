"""Settings of operators and of the whole job, as both languages make them: their bounds, and what Flink refuses.

Sources: ``SingleOutputStreamOperator``, ``DataStreamSink``, ``Transformation``, ``OperatorValidationUtils``,
``ExecutionConfig``, ``PipelineOptions``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from checker.extract.datastream.records import DEFAULT, UNSET, Draft, JobSettings
from checker.model.topology import ChainingStrategy, Mode
from checker.model.unknowns import Maybe

Assign = Callable[[Any, str, Any], None]
"""How a reader sets an attribute of a record."""
_MOST: Final = 1 << 15
"""``KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM``."""
_DEFAULT: Final = -1
"""``ExecutionConfig.PARALLELISM_DEFAULT``."""


class RefusedError(Exception):
    """Flink throws an ``IllegalArgumentException`` with this message."""


class Takes(Enum):
    """How the argument of a setting is read."""

    TEXT = auto()
    NUMBER = auto()
    GROUP = auto()
    CHAINING = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Setting:
    """A method that sets an attribute of an operator; one without argument gives it a ``value``."""

    of: str
    takes: Takes = Takes.TEXT
    value: Any = None
    python: bool = True
    """Whether PyFlink has it, by the same name in small letters."""


_CHAIN_ALONE: Final = Setting("chaining", Takes.NOTHING, ChainingStrategy.NEVER)
OF_OPERATORS: Final[Mapping[str, Setting]] = {
    "uid": Setting("uid"),
    "setUid": Setting("uid", python=False),
    "setUidHash": Setting("uid_hash"),
    "name": Setting("name"),
    "setName": Setting("name", python=False),
    "setParallelism": Setting("parallelism", Takes.NUMBER),
    "setMaxParallelism": Setting("max_parallelism", Takes.NUMBER),
    "forceNonParallel": Setting("non_parallel", Takes.NOTHING, True),
    "slotSharingGroup": Setting("slot_sharing_group", Takes.GROUP),
    "setSlotSharingGroup": Setting("slot_sharing_group", Takes.GROUP, python=False),
    "setCoLocationGroupKey": Setting("co_location_group", python=False),
    "disableChaining": _CHAIN_ALONE,
    "startNewChain": Setting("chaining", Takes.NOTHING, ChainingStrategy.HEAD),
    "setChainingStrategy": Setting("chaining", Takes.CHAINING, python=False),
}
"""Method in Java → what it sets."""


def set_on(assign: Assign, draft: Draft, attribute: str, value: Any) -> None:
    """Set an attribute of an operator. Raises RefusedError as Flink does."""
    if attribute == "parallelism":
        if isinstance(value, int):
            if value < 1 and value != _DEFAULT:
                raise RefusedError(
                    "The parallelism of an operator must be at least 1, or ExecutionConfig.PARALLELISM_DEFAULT "
                    "(use system default)."
                )
            if value != 1 and draft.non_parallel:
                raise RefusedError("The parallelism of non parallel operator must be 1.")
        elif draft.non_parallel:
            return
        value = UNSET if value == _DEFAULT else value
    elif attribute == "max_parallelism" and isinstance(value, int):
        if value <= 0:
            raise RefusedError("The maximum parallelism must be greater than 0.")
        if value > _MOST:
            raise RefusedError(f"Maximum parallelism must be between 1 and 32768. Found: {value}")
        if value != 1 and draft.non_parallel:
            raise RefusedError("The maximum parallelism of non parallel operator must be 1.")
    elif attribute == "non_parallel":
        assign(draft, "parallelism", 1)
        assign(draft, "max_parallelism", 1)
    assign(draft, attribute, value)


def set_on_job(assign: Assign, job: JobSettings, attribute: str, value: Any) -> None:
    """Set an attribute of the whole job. Raises RefusedError as Flink does."""
    if attribute == "parallelism":
        if isinstance(value, int) and value < 1 and value != _DEFAULT:
            raise RefusedError(
                "Parallelism must be at least one, or ExecutionConfig.PARALLELISM_DEFAULT (use system default)."
            )
        value = DEFAULT if value == _DEFAULT else value
    elif attribute == "max_parallelism" and isinstance(value, int) and not 0 < value <= _MOST:
        raise RefusedError(f"maxParallelism is out of bounds 0 < maxParallelism <= 32768. Found: {value}")
    assign(job, attribute, value)


MODE: Final = "execution.runtime-mode"
OPTIONS: Final[Mapping[str, str]] = {
    "parallelism.default": "parallelism",
    "pipeline.max-parallelism": "max_parallelism",
    "pipeline.operator-chaining": "chaining",
    "pipeline.operator-chaining.enabled": "chaining",
    "pipeline.operator-chaining.chain-operators-with-different-max-parallelism": "chain_different_max_parallelism",
    "pipeline.auto-generate-uids": "auto_generate_uids",
    "pipeline.vertex-name-include-index-prefix": "vertex_index_prefix",
    "python.operator-chaining.enabled": "python_chaining",
    MODE: "mode",
}
"""Key of the configuration → what it sets of a job."""


def mode_named(name: str) -> Mode | None:
    """A ``RuntimeExecutionMode``; None for AUTOMATIC, where Flink looks at the sources, and for what is none."""
    return {"BATCH": Mode.BATCH, "STREAMING": Mode.STREAMING}.get(name.upper())


def number_or_truth(attribute: str, text: str) -> Maybe[int] | None:
    """What the text of an option says of a number or switch; None where it is no such text."""
    text = text.strip().lower()
    if attribute in ("parallelism", "max_parallelism"):
        return int(text) if text.lstrip("-").isdigit() else None
    return {"true": True, "false": False}.get(text)
