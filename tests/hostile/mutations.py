"""Repositories with random damage: their files, their git objects, their index, their configuration, their links."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.hostile.damage import committed, object_file, stored
from tests.scratch import Scratch, topology

FILES = {
    "jobs/orders.topology.yaml": topology(),
    "jobs/totals.sql": (
        "CREATE TABLE orders (id BIGINT, amount INT) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE totals (id BIGINT, amount INT) WITH ('connector' = 'print');\n"
        "INSERT INTO totals SELECT id, SUM(amount) FROM orders GROUP BY id;\n"
    ),
    "src/main/java/Job.java": (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job { public static void main(String[] args) throws Exception {\n"
        "  StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '  env.fromElements(1, 2).map(x -> x + 1).uid("map").print(); env.execute("job"); } }\n'
    ),
    "jobs/job.py": (
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1, 2]).map(lambda x: x).print()\nenv.execute('python')\n"
    ),
    "deploy/orders.yaml": (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\n"
        "spec: {flinkVersion: v1_20, job: {jarURI: 'local:///a.jar', entryClass: Job, parallelism: 2}}\n"
    ),
    "savepoint-checker.toml": 'flink = "1.20"\n',
    "savepoint-baseline.json": '{"format": "savepoint-checker/baseline", "version": 1, "findings": []}\n',
    ".gitignore": "target\n",
}
COMMANDS = (
    ("check", "--base", "HEAD~1"),
    ("check", "--base", "HEAD~1", "--head", ":worktree", "--output", "report.html"),
    ("check", "--base", "HEAD~1", "--head", ":index"),
    ("audit", "--range", "HEAD~1..HEAD", "--engine", "in-process", "--data", "data"),
    ("ids", "--head", "HEAD"),
    ("extract", "--head", ":worktree"),
    ("repair", "--base", "HEAD~1", "--write"),
    ("baseline", "write", "--reason", "ok", "--base", "HEAD~1"),
    ("init",),
    ("hook", "pre-commit"),
)


def mutated(folder: Path, outside: Path, random: Random, files: dict[str, str] | None = None) -> Scratch:
    """A repository of two commits, with some damage of several kinds. ``outside`` is where its links lead."""
    chosen = files or FILES
    repository = Scratch(folder)
    repository.commit("one", **chosen)
    texts = random.sample(sorted(chosen), min(2, len(chosen)))
    for name in texts:
        (folder / name).write_bytes(_noise(chosen[name].encode(), random))
    repository.commit("two")
    for _ in range(random.randint(0, 2)):
        random.choice(_KINDS)(repository, outside, random)
    return repository


def _noise(content: bytes, random: Random) -> bytes:
    """Some bytes are others, or are gone, or come again."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(changed) + 1)
        end = min(len(changed), place + random.randint(0, 12))
        piece = random.choice(
            [b"", random.randbytes(3), bytes(changed[place:end]) * 3, b"..", b"\0", b"/", b"\xff", b"'"]
        )
        changed[place:end] = piece
    return bytes(changed)


def _tree(repository: Scratch, outside: Path, random: Random) -> None:
    del outside
    from subprocess import check_output

    tree = check_output(["git", "cat-file", "tree", "HEAD^{tree}"], cwd=repository.folder)
    committed(repository, stored(repository, "tree", _noise(tree, random)))


def _object(repository: Scratch, outside: Path, random: Random) -> None:
    del outside
    listed = repository.git("rev-list", "--objects", "--all", check=False).split("\n")
    path = object_file(repository, random.choice(listed).split(" ")[0])
    path.write_bytes(_noise(path.read_bytes(), random))
    if random.random() < 0.3:
        path.unlink()


def _index(repository: Scratch, outside: Path, random: Random) -> None:
    del outside
    path = repository.folder / ".git" / "index"
    path.write_bytes(_noise(path.read_bytes(), random))


def _link(repository: Scratch, outside: Path, random: Random) -> None:
    name = random.choice([*FILES, "jobs", "src/main", "deploy", ".github", "data", "report.html", ".gitlab-ci.yml"])
    path = repository.folder / name
    if path.exists() or path.is_symlink():
        path.rename(repository.folder / f"moved-{random.randrange(10**9)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(random.choice([outside, outside / "victim", outside / "missing", Path(name), Path("/dev/zero")]))
    if random.random() < 0.5:
        repository.git("add", "--all", check=False)
        repository.git("commit", "--quiet", "--message", "link", check=False)


def _fifo(repository: Scratch, outside: Path, random: Random) -> None:
    del outside
    path = repository.folder / random.choice(sorted(FILES))
    if path.parent.is_dir() and not path.parent.is_symlink():
        path.unlink(missing_ok=True)
        os.mkfifo(path)


def _configuration(repository: Scratch, outside: Path, random: Random) -> None:
    key, value = random.choice([
        ("core.worktree", str(outside)), ("i18n.logOutputEncoding", "UTF-16"), ("core.quotePath", "x"),
        ("extensions.objectFormat", "sha256"), ("core.bare", "true"), ("core.repositoryFormatVersion", "9"),
    ])  # fmt: skip
    repository.git("config", key, value, check=False)


_KINDS: tuple[Callable[[Scratch, Path, Random], None], ...] = (_tree, _object, _index, _link, _fifo, _configuration)
