"""Whether two checkouts of the tool write the same reports, byte for byte.

usage: python scripts/compare_reports.py BEFORE [AFTER] [--pairs FOLDER] [--only WORD] [--keep FOLDER]

BEFORE and AFTER are checkouts (AFTER: this one). Both run every example that BEFORE carries: the history of
``examples/orders``, the topology documents, the pairs of ``tests/rules``, the recorded savepoints, in every output
format; and the programs of ``tests/data``: edits of Java jobs, and PyFlink scripts. ``--pairs`` adds a folder with
``NAME/base`` and ``NAME/head``, two trees of a repository each. ``--only`` keeps the runs whose name contains the word.
Differences are printed as unified diffs; the exit code is 1 where there are any. Only the path of the checkout, the
version of the tool and durations are replaced before comparing.
"""

import argparse
import contextlib
import difflib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

CHECK_FORMATS = ("text", "json", "markdown", "html", "sarif", "junit", "github", "gitlab")
PAGE_FORMATS = ("text", "json", "markdown", "html")
SHOWN_LINES = 40
"""Lines of one difference that are printed."""
PLAIN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"), ("DATE", "2026-01-01T09:00:00Z"))
}


@dataclass(frozen=True)
class Run:
    """One command line; the answer is its exit code, stdout and stderr."""

    name: str
    arguments: tuple[str, ...]


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, untouched by the configuration of the machine."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | PLAIN
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def two_commits(repository: Path, base: Path | None, head: Path | None) -> None:
    """A repository whose tags ``base`` and ``head`` hold the two trees."""
    repository.mkdir(parents=True)
    git(repository, "init", "--quiet", "--initial-branch=main")
    for tag, tree in (("base", base), ("head", head)):
        git(repository, "rm", "-rfq", "--ignore-unmatch", ".")
        if tree is not None:
            subprocess.run(["cp", "-a", f"{tree}/.", str(repository)], check=True)
        git(repository, "add", "--all", "--force")
        git(repository, "commit", "--quiet", "--allow-empty", "--message", tag)
        git(repository, "tag", tag)


def checks(name: str, repository: Path, base: str, head: str) -> Iterator[Run]:
    """One ``check`` in every format."""
    common = ("--repo", str(repository), "--base", base, "--head", head, "--engine", "in-process")
    for form in CHECK_FORMATS:
        yield Run(f"check/{name}/{form}", ("check", *common, "--format", form))


def runs_of_orders(source: Path, work: Path) -> Iterator[Run]:
    """Every pair of commits of the example history, its audit, ids and documents."""
    repository = work / "orders"
    subprocess.run([sys.executable, str(source / "examples" / "make_repository.py"), str(repository)], check=True)
    history = subprocess.run(
        ["git", "rev-list", "--reverse", "main"], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.split()
    for number, commit in enumerate(history):
        where = ("--repo", str(repository), "--head", commit)
        yield Run(f"ids/orders-{number}/text", ("ids", *where))
        yield Run(f"ids/orders-{number}/json", ("ids", *where, "--format", "json", "--explain"))
        for form in ("yaml", "json"):
            yield Run(f"extract/orders-{number}/{form}", ("extract", *where, "--format", form))
        for base in history[:number]:
            yield from checks(f"orders-{history.index(base)}-{number}", repository, base, commit)
    for form in PAGE_FORMATS:
        span = ("--range", f"{history[0]}..{history[-1]}", "--engine", "in-process")
        yield Run(f"audit/orders/{form}", ("audit", "--repo", str(repository), *span, "--format", form))


def runs_of_documents(source: Path) -> Iterator[Run]:
    """The ids of the example documents."""
    for path in sorted((source / "examples" / "documents").glob("*.topology.yaml")):
        yield Run(f"ids/{path.name}/text", ("ids", str(path)))
        yield Run(f"ids/{path.name}/json", ("ids", str(path), "--format", "json", "--explain"))


def runs_of_rules(source: Path, work: Path) -> Iterator[Run]:
    """The example pair of every rule, and the incidents."""
    for kind in ("examples", "incidents"):
        for folder in sorted((source / "tests" / "rules" / kind).iterdir()):
            if not folder.is_dir():
                continue
            trees = []
            for side in ("base", "head"):
                tree = work / "trees" / kind / folder.name / side
                tree.mkdir(parents=True)
                document = folder / f"{side}.topology.yaml"
                if document.exists():
                    (tree / "orders.topology.yaml").write_bytes(document.read_bytes())
                mapping = folder / "savepoint-mapping.toml"
                if mapping.exists():
                    (tree / mapping.name).write_bytes(mapping.read_bytes())
                trees.append(tree)
            repository = work / kind / folder.name
            two_commits(repository, *trees)
            yield from checks(f"{kind}/{folder.name}", repository, "base", "head")


def runs_of_savepoints(source: Path, work: Path) -> Iterator[Run]:
    """Every recorded savepoint."""
    snapshots = work / "snapshots"
    with tarfile.open(source / "tests" / "data" / "savepoints" / "snapshots.tar.xz") as archive:
        archive.extractall(snapshots, filter="data")
    for metadata in sorted(snapshots.rglob("_metadata")):
        name = metadata.parent.relative_to(snapshots)
        yield Run(f"savepoint/{name}/json", ("savepoint", str(metadata.parent), "--detail", "--format", "json"))
        yield Run(f"savepoint/{name}/text", ("savepoint", str(metadata.parent)))


def runs_of_programs(source: Path, work: Path) -> Iterator[Run]:
    """The recorded edits of Java jobs, and the scripts of PyFlink: what the readers say of them."""
    data = source / "tests" / "data"
    edits = work / "edits"
    with tarfile.open(data / "edits" / "edits.tar.gz") as archive:
        archive.extractall(edits, filter="data")
    yield from runs_of_pairs(edits, work)
    scripts = work / "scripts"
    two_commits(scripts, None, data / "python")
    yield Run("ids/scripts/json", ("ids", "--repo", str(scripts), "--head", "head", "--format", "json", "--explain"))
    yield Run("extract/scripts/yaml", ("extract", "--repo", str(scripts), "--head", "head", "--format", "yaml"))


def runs_of_pairs(pairs: Path, work: Path) -> Iterator[Run]:
    """Pairs of trees that the caller names."""
    for folder in sorted(pairs.iterdir()):
        if (folder / "base").is_dir() and (folder / "head").is_dir():
            repository = work / "pairs" / folder.name
            two_commits(repository, folder / "base", folder / "head")
            common = ("--repo", str(repository), "--base", "base", "--head", "head", "--engine", "in-process")
            for form in ("json", "text"):
                yield Run(f"check/{folder.name}/{form}", ("check", *common, "--format", form))


def answer(arguments: list[str]) -> str:
    """What one command prints, its exit code included."""
    from checker.cli import run

    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["savepoint-checker", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return f"{out.getvalue()}\n--- stderr\n{err.getvalue()}\n--- exit {code}\n"


def answer_all(plan: Path, answers: Path) -> None:
    """In a process of a checkout's own: run the plan and keep what each run prints."""
    found = {name: answer(arguments) for name, arguments in json.loads(plan.read_text("utf-8"))}
    answers.write_text(json.dumps(found), "utf-8")


def answers_of(checkout: Path, runs: list[Run], work: Path) -> dict[str, str]:
    """What a checkout answers, by the name of the run."""
    plan, answers = work / "plan.json", work / f"{checkout.name}.json"
    plan.write_text(json.dumps([(r.name, r.arguments) for r in runs]), "utf-8")
    python = checkout / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), __file__, "--run", str(plan), str(answers)]
    environment = os.environ | {"PYTHONPATH": str(checkout), "COLUMNS": "120", "NO_COLOR": "1"}
    subprocess.run(command, cwd=work, env=environment, check=True)
    version = subprocess.run(
        [command[0], "-c", "import checker; print(checker.__version__)"],
        cwd=work, env=environment, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    found: dict[str, str] = json.loads(answers.read_text("utf-8"))
    return {name: _plain(text, checkout, version) for name, text in found.items()}


def _plain(text: str, checkout: Path, version: str) -> str:
    text = text.replace(str(checkout), "CHECKOUT").replace(version, "VERSION")
    return re.sub(r'"seconds": [0-9.]+', '"seconds": 0', text)


def main() -> int:
    """Run both checkouts and print where they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=Path(__file__).parent.parent)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, help="write the answers that differ here")
    asked = parser.parse_args()
    before, after = asked.before.resolve(), asked.after.resolve()
    with tempfile.TemporaryDirectory(prefix="compare-reports-") as folder:
        work = Path(folder)
        sources = [runs_of_orders(before, work), runs_of_documents(before), runs_of_rules(before, work),
                   runs_of_programs(before, work), runs_of_savepoints(before, work)]  # fmt: skip
        if asked.pairs:
            sources.append(runs_of_pairs(asked.pairs.resolve(), work))
        runs = [run for source in sources for run in source if asked.only in run.name]
        places = []
        for name, checkout in (("before", before), ("after", after)):
            (work / name).mkdir()
            places.append((checkout, runs, work / name))
        with ThreadPoolExecutor(2) as pool:
            old, new = pool.map(lambda place: answers_of(*place), places)
        different = [name for name in old if old[name] != new[name]]
        for name in different:
            pair = old[name].splitlines(), new[name].splitlines()
            shown = list(difflib.unified_diff(*pair, f"before/{name}", f"after/{name}", lineterm="", n=1))
            print("\n".join(line[:400] for line in shown[:SHOWN_LINES]))
            if asked.keep:
                for side, answers in (("before", old), ("after", new)):
                    file = asked.keep / side / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(answers[name], "utf-8")
        print(f"{len(old)} reports, {len(different)} differ" + (f": {', '.join(different)}" if different else ""))
        return 1 if different else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        answer_all(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main())
