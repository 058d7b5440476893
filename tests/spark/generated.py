"""Generated repositories: jobs that grow, shrink, lose and gain uids over many commits. Seeded.

A job is a chain of operators, written as a topology document or as a Java program; every commit edits one of
them. Written with ``git fast-import``, so that a history of thousands of commits takes a second.
"""

import os
import random
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

_KINDS = ("map", "filter", "flat-map", "process")
_IMPORTS = "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment"


@dataclass(frozen=True)
class Operator:
    name: str
    kind: str
    uid: str | None = None
    parallelism: int | None = None


@dataclass(frozen=True)
class Job:
    name: str
    java: bool
    operators: tuple[Operator, ...]

    @property
    def path(self) -> str:
        if self.java:
            return f"{self.name}/src/main/java/com/acme/{self.name}/{self.class_name}.java"
        return f"{self.name}/{self.name}.topology.yaml"

    @property
    def class_name(self) -> str:
        return self.name.title().replace("-", "").replace("_", "") + "Job"

    def text(self) -> str:
        return self._java() if self.java else self._document()

    def _document(self) -> str:
        lines = ["topology: 1", f"name: {self.name}", 'flink: "1.20"', "parallelism: 2", "transformations:"]
        lines.append("  - {id: source, kind: source, name: events, uid: events}")
        before = "source"
        for operator in self.operators:
            more = f", uid: {operator.uid}" if operator.uid else ""
            more += f", parallelism: {operator.parallelism}" if operator.parallelism else ""
            more += ", stateful: true" if operator.kind == "process" else ""
            lines.append(
                f"  - {{id: {operator.name}, kind: operator, operator: {operator.kind}, name: '{operator.name}',"
                f" inputs: [{before}]{more}}}"
            )
            before = operator.name
        lines.append(f"  - {{id: sink, kind: sink, name: out, inputs: [{before}]}}")
        return "\n".join(lines) + "\n"

    def _java(self) -> str:
        calls = []
        for operator in self.operators:
            call = {
                "map": "map(x -> x)",
                "filter": "filter(x -> x > 0)",
                "flat-map": "flatMap((x, out) -> out.collect(x))",
                "process": "keyBy(x -> x).reduce((a, b) -> a + b)",
            }[operator.kind]
            calls.append(f'            .{call}.name("{operator.name}")')
            if operator.uid:
                calls.append(f'            .uid("{operator.uid}")')
            if operator.parallelism:
                calls.append(f"            .setParallelism({operator.parallelism})")
        chain = "\n".join(calls)
        return (
            f"package com.acme.{self.name};\n\nimport {_IMPORTS};\n\npublic class {self.class_name} {{\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        env.fromSequence(0, 100).uid(\"events\")\n"
            f"{chain}\n            .print();\n        env.execute(\"{self.name}\");\n    }}\n}}\n"
        )  # fmt: skip


@dataclass
class Author:
    """Somebody who edits jobs at random."""

    rng: random.Random
    fresh: int = 0

    def operator(self) -> Operator:
        self.fresh += 1
        kind = self.rng.choice(_KINDS)
        name = f"{kind}_{self.fresh}".replace("-", "_")
        return Operator(name, kind, f"uid-{self.fresh}" if self.rng.random() < 0.4 else None)

    def job(self, name: str, *, java: bool, size: int) -> Job:
        return Job(name, java, tuple(self.operator() for _ in range(size)))

    def edited(self, job: Job) -> Job:
        operators, at = list(job.operators), self.rng.randrange(len(job.operators))
        what = self.rng.random()
        if what < 0.3:
            operators.insert(at, self.operator())
        elif what < 0.5 and len(operators) > 2:
            del operators[at]
        elif what < 0.65:
            operators[at] = replace(operators[at], name=f"{operators[at].name}x"[:40])
        elif what < 0.8:
            self.fresh += 1
            uid = None if operators[at].uid else f"uid-{self.fresh}"
            operators[at] = replace(operators[at], uid=uid)
        elif what < 0.9:
            operators[at] = replace(operators[at], parallelism=self.rng.choice([None, 1, 4]))
        elif len(operators) > 1:
            next_one = (at + 1) % len(operators)
            operators[at], operators[next_one] = operators[next_one], operators[at]
        return replace(job, operators=tuple(operators))


Files = dict[str, bytes | None]
"""Path → new content, None = deleted."""


@dataclass
class History:
    """Commits to write: message and changed files."""

    commits: list[tuple[str, Files]] = field(default_factory=list)

    def write(self, folder: Path) -> Path:
        """A bare-bones repository with these commits on ``main``; it has no work tree files."""
        folder.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=env)
        stream = b"".join(self._stream())
        subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, check=True, env=env)
        return folder

    def _stream(self) -> Iterator[bytes]:
        for number, (message, files) in enumerate(self.commits):
            text = message.encode()
            yield b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\n" % (1_700_000_000 + 3600 * number)
            yield b"data %d\n%s\n" % (len(text), text)
            for path, content in files.items():
                name = path.encode()
                if content is None:
                    yield b"D %s\n" % name
                else:
                    yield b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(content), content)
            yield b"\n"


def history(*, seed: int, jobs: int, commits: int, java: bool = False, size: int = 8, edits: int = 1) -> History:
    """A history in which every commit after the first edits ``edits`` of the jobs."""
    author = Author(random.Random(seed))
    now = [author.job(f"job{n}", java=java, size=size) for n in range(jobs)]
    files: Files = {job.path: job.text().encode() for job in now}
    written = History([("first", files)])
    for number in range(1, commits):
        changed: Files = {}
        for at in author.rng.sample(range(jobs), min(edits, jobs)):
            now[at] = author.edited(now[at])
            changed[now[at].path] = now[at].text().encode()
        written.commits.append((f"edit {number}", changed))
    return written


def random_repository(seed: int) -> History:
    """A small repository with whatever repositories have: several kinds, renames, broken files, settings."""
    rng = random.Random(seed)
    author = Author(rng)
    jobs = [author.job(f"job{n}", java=rng.random() < 0.5, size=rng.randint(1, 8)) for n in range(rng.randint(1, 4))]
    files: Files = {job.path: job.text().encode() for job in jobs}
    files["README.md"] = "# Schöne Aufträge ☃\n".encode()
    if rng.random() < 0.4:
        files["savepoint-checker.toml"] = rng.choice(
            [b"parallelism = 3\n", b'flink = "1.18"\n', b'fail_on = "warning"\n', b'[rules]\nuid-missing = "info"\n']
        )
    if rng.random() < 0.3:
        files["broken/x.topology.yaml"] = rng.choice([b"topology: [", b"\xff\xfe", b"topology: 2\n", b""])
    if rng.random() < 0.2:
        files["many.topology.jsonl"] = b"".join(
            b'{"topology":1,"name":"m%d","transformations":[{"id":"s","kind":"source"},'
            b'{"id":"o","kind":"operator","inputs":["s"]}]}\n' % n
            for n in range(rng.randint(1, 4))
        )
    written = History([("first", files)])
    for number in range(rng.randint(1, 4)):
        changed: Files = {}
        for at in _some(rng, len(jobs)):
            after = author.edited(jobs[at])
            changed[after.path] = after.text().encode()
            jobs[at] = after
        if rng.random() < 0.2 and len(jobs) > 1:
            changed[jobs.pop().path] = None
        if rng.random() < 0.2:
            jobs.append(author.job(f"late{number}", java=rng.random() < 0.5, size=3))
            changed[jobs[-1].path] = jobs[-1].text().encode()
        if rng.random() < 0.2:
            changed[f"{jobs[0].name}/other.bin"] = rng.randbytes(64)
        written.commits.append((f"edit {number}", changed))
    return written


def _some(rng: random.Random, count: int) -> Iterable[int]:
    return rng.sample(range(count), rng.randint(0, count))
