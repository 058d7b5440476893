"""Calls that may hang: an answer within a time limit, or an error."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar, cast

Answer = TypeVar("Answer")


class LateError(Exception):
    """No answer in time."""


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """The answer of a call, which is left behind when it takes longer. Raises LateError and what the call raises."""
    answers: SimpleQueue[tuple[Answer | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:
            answers.put((None, error))

    Thread(target=run, daemon=True, name="within").start()
    try:
        answer, failure = answers.get(timeout=seconds)
    except Empty:
        raise LateError from None
    if failure is not None:
        raise failure
    return cast("Answer", answer)
