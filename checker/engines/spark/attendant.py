"""The process that stays connected to a Spark that stays, and takes the work of ``check`` to it.

A client of Spark Connect imports PySpark, pandas and gRPC, which takes longer than a small check. So commands send
their work here, and import none of them. Called by ``standing``, with the file that records the Spark.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path

from checker.engines.spark.check import answers_on, judge_on
from checker.engines.spark.session import SparkRun, explained, spark_run
from checker.engines.spark.standing import WAIT, Standing, listens, recorded
from checker.engines.spark.training import training_plan
from checker.errors import CheckerError

_ROUNDS = 3
"""Checks until Java has loaded and compiled what the next one needs."""


def attend(standing: Standing) -> None:
    """Connect, do first checks, and answer whoever knows the token, until this process is ended."""
    ends = time.monotonic() + WAIT
    while not listens(standing.port) and time.monotonic() < ends:
        time.sleep(0.1)
    with spark_run(master="", remote=standing.url, verbose=False, here=standing.slots) as run:
        for _ in range(_ROUNDS):
            judge_on(run, training_plan())
        with Listener(("127.0.0.1", standing.attendant_port), backlog=16) as listener:
            while True:
                with suppress(OSError):  # who asked went away
                    answering = (run, listener.accept(), standing.token.encode())
                    threading.Thread(target=_answer, args=answering, daemon=True).start()


def _answer(run: SparkRun, connection: Connection, token: bytes) -> None:
    with connection, suppress(EOFError, OSError, AuthenticationError):
        deliver_challenge(connection, token)
        answer_challenge(connection, token)
        work = connection.recv()
        try:
            connection.send(answers_on(run, work))
        except Exception as error:
            found = explained(error, sys.stderr)
            connection.send(found if isinstance(found, CheckerError) else RuntimeError(f"{found!r}"))


if __name__ == "__main__":
    found = recorded(Path(sys.argv[1]))
    if found is None:
        sys.exit("no Spark was started")
    attend(found)
