"""``ask``: questions to the datasets that audits keep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.errors import UsageError
from checker.report.formats import Report, format_of, renderer

Question = Annotated[str, typer.Argument(metavar="QUESTION", help="without-uid, breaks, trend or upgrades.")]
Data = Annotated[str, typer.Option("--data", metavar="FOLDER", help="The folder that 'audit --data' keeps.")]


def ask(
    question: Question, data: Data, output_format: options.PageFormat = None, output: options.PageOutput = None
) -> None:
    """Ask the datasets of audits: a table as text, JSON, Markdown or HTML.

    \b
    savepoint-checker ask without-uid --data audit/      stateful operators that have no uid now
    savepoint-checker ask breaks --data audit/           commits that broke state, and who repaired it
    savepoint-checker ask trend --data audit/ --output trend.html
    savepoint-checker ask upgrades --data audit/         which jobs 'audit --what-if flink=2.3' found to lose state
    """
    try:
        from checker.workflows.audit import questions
        from checker.workflows.audit.datasets import datasets
        from checker.workflows.audit.stores import is_url
    except ImportError:
        raise UsageError("audits need pyarrow: pip install 'savepoint-checker[spark]'") from None
    if question not in questions.QUESTIONS:
        raise UsageError(f"ask {question}: must be one of {', '.join(questions.QUESTIONS)}")
    if not is_url(data) and not (Path(data) / "ledger").is_dir():
        raise UsageError(f"--data {data}: no audit was kept here; 'audit --data {data}' does that")
    show = renderer(Report.ANSWER, output_format or "text", sys.stdout)
    files = [(path, renderer(Report.ANSWER, format_of(Report.ANSWER, path))) for path in output or []]
    with datasets(data) as kept:
        answer = questions.ask(kept, question)
    for path, render in files:
        options.write(path, render(answer))
    sys.stdout.write(show(answer))
