"""Repositories with random damage: files, savepoints, git objects, the index, the configuration, links."""

import os
import re
import tarfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from subprocess import CalledProcessError, check_output

from tests.hostile.damage import committed, object_file, stored
from tests.savepoint import mutations
from tests.savepoint.conftest import DATA
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
    ".gitignore": "target\n",
    "overlays/prod/kustomization.yaml": (
        "resources: [../../deploy]\nnamePrefix: prod-\npatches:\n  - target: {kind: FlinkDeployment}\n"
        "    patch: |-\n      - {op: replace, path: /spec/job/parallelism, value: 4}\n"
    ),
    "deploy/kustomization.yaml": "resources: [orders.yaml]\nconfigMapGenerator: [{name: a, literals: [b=c]}]\n",
    "compose.yaml": (
        "services:\n  jobmanager: &flink\n    image: flink:1.20\n    command: standalone-job --job-classname Job\n"
        "    environment: {FLINK_PROPERTIES: 'parallelism.default: 2'}\n  other: {<<: *flink, image: flink:2.0}\n"
    ),
    "Dockerfile": 'FROM flink:1.20\nCOPY . /opt\nENTRYPOINT ["flink", "run", "-p", "2", "-c", "Job", "a.jar"]\n',
    "start.sh": (
        "set -e\nP=${P:-2}\nflink run -d -p \"$P\" -Dstate.backend.type=rocksdb \\\n  -c Job a.jar --in 'x' $(date)\n"
    ),
    "src/main/resources/application.conf": 'a { b = 2, c = ${a.b}"x" }\ninclude "other"\nd = [1, ${?HOME}] ${a}\n',
    "src/main/resources/job.properties": "uid = map\nlong = a\\\n  b\n# nothing\nname:\\u0041\n",
    "pom.xml": (
        "<project><modelVersion>4.0.0</modelVersion><properties><flink>1.20.0</flink></properties><dependencies>"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId>"
        "<version>${flink}</version></dependency></dependencies></project>\n"
    ),
    "build.gradle": (
        "ext { flink = '1.20.0' }\ndependencies { implementation \"org.apache.flink:flink-core:$flink\" }\n"
    ),
}
COMMANDS = (
    ("check", "--base", "HEAD~1"),
    ("check", "--base", "HEAD~1", "--head", ":worktree", "--output", "report.html"),
    ("check", "--base", "HEAD~1", "--head", ":index"),
    ("audit", "--range", "HEAD~1..HEAD", "--engine", "in-process", "--data", "data"),
    ("ids", "--head", "HEAD"),
    ("extract", "--head", ":worktree"),
    ("repair", "--base", "HEAD~1", "--write"),
    ("init",),
    ("hook", "pre-commit"),
    ("gate", "--savepoint", "totals=savepoint"),
    ("gate", "--savepoint", "orders=savepoint", "--head", "HEAD~1", "--format", "json", "--output", "gate.html"),
    ("savepoint", "savepoint/_metadata", "--detail", "--format", "json"),
    ("savepoint", "savepoint", "--head", "HEAD"),
)
_WORD = re.compile(rb"\w+|\s+|.", re.DOTALL)


def mutated(folder: Path, outside: Path, random: Random, files: dict[str, str] | None = None) -> Scratch:
    """A repository of two commits, with some damage of several kinds. ``outside`` is where its links lead."""
    chosen = files or FILES
    repository = Scratch(folder)
    repository.commit("one", **chosen)
    for name in random.sample(sorted(chosen), min(4, len(chosen))):
        damaged = random.choice((_noise, _rewritten))(chosen[name].encode(), random)
        (folder / name).write_bytes(damaged)
    snapshot = random.choice(snapshots())
    for name, content in snapshot.items():
        damaged = mutations.mutated(content, random) if random.random() < 0.5 else content
        repository.write(f"savepoint/{name}", damaged)
    repository.commit("two")
    for _ in range(random.randint(0, 2)):
        with suppress(CalledProcessError):  # git itself may stumble over what was damaged before
            random.choice(_KINDS)(repository, outside, random)
    return repository


@cache
def snapshots() -> list[dict[str, bytes]]:
    """The recorded snapshots: name → content, of their metadata, their state files and the job's graph."""
    found: list[dict[str, bytes]] = []
    with tarfile.open(DATA / "snapshots.tar.xz") as archive:
        contents = {item.name: archive.extractfile(item) for item in archive if item.isfile()}
        files = {name: stream.read() for name, stream in contents.items() if stream is not None}
    for path in sorted(files):
        top, _, name = path.rpartition("/")
        if name == "_metadata":
            beside = {name[len(top) + 1 :]: content for name, content in files.items() if name.startswith(f"{top}/")}
            graph = files.get("/".join([*path.split("/")[:2], "graph.json"]), b"{}")
            found.append({**beside, "graph.json": graph})
    return found


def _rewritten(content: bytes, random: Random) -> bytes:
    """Some words and lines are those of other places, or of other files."""
    lines = content.splitlines(keepends=True)
    for _ in range(random.randint(1, 4)):
        words = _WORD.findall(random.choice(sorted(FILES.values())).encode() if random.random() < 0.3 else content)
        place = random.randrange(len(lines))
        kind = random.randrange(4)
        if kind == 0:
            lines.insert(place, random.choice(lines))
        elif kind == 1 and len(lines) > 1:
            del lines[place]
        else:
            changed = _WORD.findall(lines[place]) or [b""]
            at = random.randrange(len(changed))
            changed[at : at + random.randint(0, 2)] = [random.choice(words)] * random.choice((1, 1, 1, 40))
            lines[place] = b"".join(changed)
    return b"".join(lines)


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
    tree = check_output(["git", "cat-file", "tree", "HEAD^{tree}"], cwd=repository.folder)
    committed(repository, stored(repository, "tree", _noise(tree, random)))


def _object(repository: Scratch, outside: Path, random: Random) -> None:
    del outside
    listed = repository.git("rev-list", "--objects", "--all", check=False).splitlines()
    if not listed:
        return  # what was damaged before keeps git from listing them
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
