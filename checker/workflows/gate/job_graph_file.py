"""A candidate given as a file: job vertices as ``ids --format json`` prints them.

Beyond those fields an operator may carry ``name``, ``uid``, ``key_type``, ``key_classes`` and ``states``, spelled as in
a topology document (``ids --explain`` prints them), the document ``flink``, ``state_backend`` and ``master_hooks``. The
spelling of a job graph dumped by a running Flink (``operator_id``, ``user_defined_operator_id``,
``max_parallelism_configured``, inputs by ``source``) is understood as well, in either order of a chain: the vertex' id
is its head's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from checker.errors import UsageError
from checker.extract.documents.fields import class_of, state_of
from checker.extract.documents.values import BadFieldError, Path, items
from checker.flink.versions import semantics_of
from checker.model.declared_state import StateDescriptor
from checker.model.restore import CandidateInput, CandidateJob, CandidateOperator, CandidateVertex
from checker.model.translation import OperatorId, Pattern

T = TypeVar("T")

_MAX_PARALLELISM_LIMIT = 32768


def read_job_graphs(
    text: str, name: str, *, flink: str | None = None, state_backend: str | None = None
) -> tuple[CandidateJob, ...]:
    """The jobs of a file: one JSON object, a list of them, or one a line. Raises UsageError.

    ``flink`` and ``state_backend`` stand for what the deployment runs and win over the file.
    """
    documents = _documents(text, name)
    jobs = [
        _Document(document, name if len(documents) == 1 else f"{name}[{number}]").job(flink, state_backend)
        for number, document in enumerate(documents)
    ]
    return tuple(jobs)


def _documents(text: str, name: str) -> list[Any]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            if len(lines) < 2:
                raise error
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError) as second:
            raise UsageError(
                f"{name} is not JSON: {second}. Write it with: savepoint-checker ids --format json."
            ) from None
    return whole if isinstance(whole, list) else [whole]


class _Document:
    """One document on its way to a job. Every access names the place of what is wrong."""

    def __init__(self, document: Any, name: str) -> None:
        self._name = name
        if not isinstance(document, dict):
            self._fail("it must be an object with vertices")
        self._document: dict[str, Any] = document
        self._known = self._known_operators()

    def _fail(self, what: str) -> NoReturn:
        raise UsageError(f"job graph {self._name}: {what}. Write it with: savepoint-checker ids --format json.")

    def job(self, flink: str | None, state_backend: str | None) -> CandidateJob:
        """The job of the document."""
        document = self._document
        title = document.get("name")
        flink = flink or self._text(document, "flink")
        if flink is not None:
            semantics_of(flink)  # reject a version that is not supported; do not skip its checks
        job = CandidateJob(
            name=title if isinstance(title, str) else self._name,
            flink=flink,
            state_backend=state_backend or self._text(document, "state_backend"),
        )
        if "error" in document:
            message = document.get("message")
            return replace(job, refusal=message if isinstance(message, str) else str(document["error"]))
        vertices = document.get("vertices")
        reasons = self._open(document)
        if vertices is None and reasons:
            return replace(job, failure="; ".join(reasons))
        if not isinstance(vertices, list) or not vertices:
            self._fail("it has no vertices")
        hooks = document.get("master_hooks")
        return replace(
            job,
            vertices=tuple(self._vertex(v, f"vertices[{n}]") for n, v in enumerate(vertices)),
            master_hooks=tuple(str(h) for h in hooks) if isinstance(hooks, list) else None,
            open=reasons,
        )

    def _open(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        undecided = document.get("undecided")
        if not isinstance(undecided, list):
            return ()
        reasons = (u.get("reason") for u in undecided if isinstance(u, dict))
        return tuple(dict.fromkeys(r for r in reasons if isinstance(r, str)))

    def _known_operators(self) -> dict[str, Mapping[str, Any]]:
        """Names, uids and states by operator id, where the document lists its nodes with ids."""
        known: dict[str, Mapping[str, Any]] = {}
        for key in ("stream_nodes", "nodes"):
            nodes = self._document.get(key)
            for node in nodes if isinstance(nodes, list) else ():
                if not isinstance(node, dict):
                    continue
                explained = node.get("explained")
                whole = {**explained, **node} if isinstance(explained, dict) else node
                operator_id = whole.get("operator_id")
                if isinstance(operator_id, str):
                    known[operator_id] = whole
        return known

    def _vertex(self, vertex: Any, place: str) -> CandidateVertex:
        if not isinstance(vertex, dict):
            self._fail(f"{place} must be an object")
        own = self._id(vertex.get("id"), f"{place}.id")
        listed = vertex.get("operators")
        if not isinstance(listed, list) or not listed:
            self._fail(f"{place} has no operators")
        coordinators, inputs = vertex.get("coordinators") or [], vertex.get("inputs") or []
        if not isinstance(coordinators, list) or not isinstance(inputs, list):
            self._fail(f"{place}.coordinators and {place}.inputs must be lists")
        ids = [self._id(c, f"{place}.coordinators") for c in coordinators]
        operators = [self._operator(o, f"{place}.operators[{n}]", ids) for n, o in enumerate(listed)]
        if len(operators) > 1 and own is not None and operators[0].generated == own != operators[-1].generated:
            operators.reverse()
        name = vertex.get("name")
        named = _with_names(operators, name if isinstance(name, str) else "")
        there = {o.generated for o in operators}
        return CandidateVertex(
            id=own,
            name=name if isinstance(name, str) else str(own),
            parallelism=self._parallelism(vertex.get("parallelism"), f"{place}.parallelism"),
            max_parallelism=self._max_parallelism(vertex, place),
            operators=tuple(named),
            chained_sources=tuple(
                CandidateOperator(generated=c, coordinator=True) for c in ids if c is not None and c not in there
            ),
            inputs=tuple(self._input(i, f"{place}.inputs[{n}]") for n, i in enumerate(inputs)),
            open=("the chain of a vertex without id is not certain",) if own is None else (),
        )

    def _operator(self, operator: Any, place: str, coordinators: list[OperatorId | None]) -> CandidateOperator:
        if not isinstance(operator, dict):
            self._fail(f"{place} must be an object")
        generated = self._id(operator.get("generated", operator.get("operator_id")), f"{place}.generated")
        known = {**self._known.get(generated or "", {}), **operator}
        return CandidateOperator(
            generated=generated,
            user=self._id(operator.get("user", operator.get("user_defined_operator_id")), f"{place}.user"),
            name=self._text(known, "name"),
            uid=self._text(known, "uid"),
            coordinator=generated is not None and generated in coordinators,
            by_position="uid" in known and known["uid"] is None,
            states=self._states(operator["states"] if "states" in operator else _known_states(known), place),
            key_type=self._text(known, "key_type"),
            key_classes=self._topology_part(known.get("key_classes") or [], place, "key_classes", class_of),
        )

    def _states(self, states: Any, place: str) -> tuple[StateDescriptor, ...] | None:
        if states is None:
            return None
        return self._topology_part(states, place, "states", state_of)

    def _topology_part(self, value: Any, place: str, name: str, read: Callable[[Any, Path], T]) -> tuple[T, ...]:
        """A list that is spelled as in a topology document."""
        try:
            return items(read)(value, (f"{place}.{name}",))
        except BadFieldError as error:
            where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.path)
            self._fail(f"{where.lstrip('.')} {error.message}")

    def _input(self, edge: Any, place: str) -> CandidateInput:
        if not isinstance(edge, dict):
            self._fail(f"{place} must be an object")
        pattern = edge.get("pattern")
        if not isinstance(pattern, str) or pattern not in Pattern.__members__.values():
            self._fail(f"{place}.pattern must be POINTWISE or ALL_TO_ALL")
        return CandidateInput(
            source=self._id(edge.get("from", edge.get("source")), f"{place}.from"), pattern=Pattern(pattern)
        )

    def _id(self, value: Any, place: str) -> OperatorId | None:
        if value is None:
            return None
        if not isinstance(value, str) or len(value) != 32 or not set(value.lower()) <= set("0123456789abcdef"):
            self._fail(f"{place} must be 32 hex digits")
        return OperatorId(value.lower())

    def _parallelism(self, value: Any, place: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MAX_PARALLELISM_LIMIT:
            self._fail(f"{place} must be 1 to {_MAX_PARALLELISM_LIMIT}")
        return int(value)

    def _max_parallelism(self, vertex: Mapping[str, Any], place: str) -> int | None:
        value = vertex.get("max_parallelism_configured", vertex.get("max_parallelism"))
        if value is None or value == -1:
            return None
        return self._parallelism(value, f"{place}.max_parallelism")

    @staticmethod
    def _text(document: Mapping[str, Any], key: str) -> str | None:
        value = document.get(key)
        return value if isinstance(value, str) else None


def _known_states(node: Mapping[str, Any]) -> Any:
    """What ``ids`` prints as a node's state; an empty list means that it was not determined."""
    state = node.get("state")
    return state if isinstance(state, list) and state else None


def _with_names(operators: list[CandidateOperator], vertex_name: str) -> list[CandidateOperator]:
    """A plain chain's vertex name lists its operators from the head; anything else is not taken apart."""
    names = vertex_name.split(" -> ")
    if len(names) != len(operators) or any(o.name for o in operators):
        return operators
    return [replace(o, name=n) for o, n in zip(operators, reversed(names), strict=True)]
