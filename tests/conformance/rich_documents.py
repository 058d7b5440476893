"""Random topology documents of the rare kinds: what the common generator leaves out, seeded.

Multi-input operators with chained sources, uid hashes, unions of
unions, cached streams, chaining by max parallelism, empty names, unpaired surrogates, long chains of virtual nodes,
and every option of a sink.
"""

import random
from typing import Any

from tests.conformance.random_documents import PARTITIONERS, Document

NAMES = ["Map", "", "a -> b", "Ünïcode ☃", "\U0001f600", "Committer", "Source: x"]
UIDS = ["a", "ä", "\U0001f600", "x\ud83dy", "\udc00", " ", "u\n", "Sink Committer: a", "\0\0\0\0", "same"]
STRATEGIES = ["never", "head", "always", "head-with-sources"]


class _Builder:
    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng = rng
        self.parallelism = rng.choice([1, 1, 2, 4])
        self.document: Document = {"topology": 1, "name": f"r{number}", "parallelism": self.parallelism}
        if rng.random() < 0.1:
            self.document["chaining"] = rng.random() < 0.3
        if rng.random() < 0.3:
            self.document["chain_different_max_parallelism"] = rng.random() < 0.2
        if rng.random() < 0.2:
            self.document["max_parallelism"] = rng.choice([1, 128, 32768])
        if rng.random() < 0.1:
            self.document["auto_generate_uids"] = rng.random() < 0.3
        self.transformations: list[Document] = []
        self.streams: list[tuple[str, int]] = []
        self.uid_rate = rng.choice([0, 0.1, 0.4, 1])
        self.uids = 0
        self.groups = rng.random() < 0.3

    def uid(self) -> str:
        self.uids += 1
        return self.rng.choice(UIDS) if self.rng.random() < 0.04 else f"uid{self.uids}"

    def physical(self, t: Document, *, sink: bool = False) -> Document:
        rng = self.rng
        if rng.random() < self.uid_rate:
            t["uid"] = self.uid()
        if not sink and rng.random() < 0.08:
            t["uid_hash"] = f"{rng.getrandbits(128):032x}"
            if rng.random() < 0.2:
                t["uid_hash"] = rng.choice([t["uid_hash"].upper(), "00" * 16, *(["xyz"] if rng.random() < 0.2 else [])])
        if rng.random() < 0.1:
            t["parallelism"] = rng.choice([1, 2, 3])
        if rng.random() < 0.15:
            t["max_parallelism"] = rng.choice([3, 128, 256])
        if self.groups and rng.random() < 0.3:
            t["slot_sharing_group"] = rng.choice(["a", "b", "default"])
        if rng.random() < 0.4:
            t["name"] = rng.choice(NAMES[2:] if rng.random() < 0.9 else NAMES)
        if rng.random() < 0.15:
            t["chaining"] = rng.choice(STRATEGIES)
        return t

    def ignored(self, t: Document) -> Document:
        """Attributes that Flink takes on objects that make no node, and ignores."""
        rng = self.rng
        if rng.random() < 0.1:
            t["uid"] = rng.choice(["same", "a"])
        if rng.random() < 0.05:
            t["slot_sharing_group"] = "b"
        return t

    def add(self, t: Document, parallelism: int) -> str:
        self.transformations.append(t)
        self.streams.append((t["id"], parallelism))
        return str(t["id"])

    def source(self) -> None:
        rng = self.rng
        kind = "source" if rng.random() < 0.75 else "legacy-source"
        t = self.physical({"id": f"s{len(self.transformations)}", "kind": kind})
        self.add(t, t.get("parallelism", self.parallelism))

    def pick(self) -> tuple[str, int]:
        return self.rng.choice(self.streams[-5:] if self.rng.random() < 0.7 else self.streams)

    def step(self) -> None:
        rng = self.rng
        name = f"t{len(self.transformations)}"
        source, parallelism = self.pick()
        choice = rng.random()
        if choice < 0.2:
            self.virtual_chain(name, source, parallelism)
        elif choice < 0.3:
            inputs = [self.pick()[0] for _ in range(rng.choice([1, 2, 2, 3]))]
            self.add(self.ignored({"id": name, "kind": "union", "inputs": inputs}), parallelism)
        elif choice < 0.35:
            self.add({"id": name, "kind": "cache", "inputs": [source]}, parallelism)
        elif choice < 0.5:
            self.chained_sources(name)
        elif choice < 0.6:
            self.source()
        else:
            t: Document = {"id": name, "kind": "operator", "inputs": [source]}
            if rng.random() < 0.15:
                t["inputs"].append(self.pick()[0])
            elif rng.random() < 0.15:
                t["yielding"] = True
            if rng.random() < 0.1:
                t["keyed"] = True
            self.physical(t)
            self.add(t, t.get("parallelism", self.parallelism))

    def virtual_chain(self, name: str, source: str, parallelism: int) -> None:
        """Several partitions and side outputs in a row: which of them counts is data."""
        rng = self.rng
        for number in range(rng.choice([1, 1, 2, 3, 4])):
            t: Document
            if rng.random() < 0.7:
                partitioner = rng.choice(PARTITIONERS)
                if partitioner == "forward" and rng.random() < 0.85:
                    partitioner = "rebalance"
                t = {"kind": "partition", "inputs": [source], "partitioner": partitioner}
            else:
                t = {"kind": "side-output", "inputs": [source], "tag": rng.choice(["late", "err", "ä"])}
            source = self.add(self.ignored({"id": f"{name}v{number}", **t}), parallelism)

    def chained_sources(self, name: str) -> None:
        """An operator of several inputs that pulls sources into its chain, where Flink lets it."""
        rng = self.rng
        inputs = []
        for number in range(rng.choice([1, 2, 3, 3, 4])):
            if rng.random() < 0.7:
                kind = "source" if rng.random() < 0.85 else "legacy-source"
                own = self.physical({"id": f"{name}s{number}", "kind": kind})
                inputs.append(self.add(own, own.get("parallelism", self.parallelism)))
            else:
                inputs.append(self.pick()[0])
        t = self.physical({"id": name, "kind": "operator", "inputs": inputs})
        if rng.random() < 0.8:
            t["chaining"] = "head-with-sources"
        self.add(t, t.get("parallelism", self.parallelism))

    def sinks(self) -> None:
        used = {name for t in self.transformations for name in t.get("inputs", [])}
        for t in list(self.transformations):
            if t["id"] not in used and self.rng.random() < 0.75:
                self.sink(t["id"])
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            self.sink(self.pick()[0])

    def sink(self, source: str) -> None:
        rng = self.rng
        name = f"k{len(self.transformations)}"
        if rng.random() < 0.2:
            self.transformations.append(self.physical({"id": name, "kind": "legacy-sink", "inputs": [source]}))
            return
        t = self.physical({"id": name, "kind": "sink", "inputs": [source]}, sink=True)
        if rng.random() < 0.005:
            t["uid_hash"] = f"{rng.getrandbits(128):032x}"
        if rng.random() < 0.7:
            t["committer"] = True
        if rng.random() < 0.3:
            t["pre_write"] = self.stage("w", "uid" in t)
        if t.get("committer"):
            if rng.random() < 0.3:
                t["pre_commit"] = self.stage("c", "uid" in t)
            if rng.random() < 0.3:
                t["post_commit"] = self.stage("o", "uid" in t, after_forward=True)
            elif rng.random() < 0.25:
                t["global_committer"] = True
        if rng.random() < 0.15:
            hashes = ("writer", "committer", "global_committer")
            t["uid_hashes"] = {key: f"{rng.getrandbits(128):032x}" for key in hashes if rng.random() < 0.6}
        self.transformations.append(t)

    def stage(self, prefix: str, with_uid: bool, *, after_forward: bool = False) -> list[Document]:
        """Operators that a sink adds itself."""
        rng = self.rng
        stage: list[Document] = []
        source = "@"
        if rng.random() < (0.6 if after_forward else 0.4):
            partition = {"id": f"{prefix}p", "kind": "partition", "inputs": ["@"], "partitioner": "rebalance"}
            if rng.random() < 0.3:
                partition["partitioner"] = "global"
            stage.append(partition)
            source = f"{prefix}p"
        for number in range(rng.choice([0, 1, 1, 2]) if stage else rng.choice([1, 1, 2])):
            t: Document = {"id": f"{prefix}{number}", "kind": "operator", "inputs": [source]}
            if rng.random() < 0.4:
                reserved = ["Committer", "Writer", "Global Committer"]
                t["name"] = rng.choice(reserved if rng.random() < 0.1 else ["compact", "x"])
            if rng.random() < (0.5 if with_uid else 0.01):
                t["uid"] = f"inner{self.uid()}" if rng.random() < 0.95 else "inner"
            if source != "@" and rng.random() < 0.3:
                t["parallelism"] = 1
            if rng.random() < 0.1:
                t["max_parallelism"] = 7
            if rng.random() < 0.1:
                t["chaining"] = rng.choice(STRATEGIES)
            if rng.random() < 0.1:
                t["slot_sharing_group"] = "g"
            if rng.random() < 0.05:
                t["uid_hash"] = f"{rng.getrandbits(128):032x}"
            stage.append(t)
            source = t["id"]
        return stage


def rich_document(rng: random.Random, number: int) -> dict[str, Any]:
    """One document called ``r<number>``."""
    builder = _Builder(rng, number)
    builder.source()
    for _ in range(rng.randint(1, 14)):
        builder.step()
    builder.sinks()
    return {**builder.document, "transformations": builder.transformations}
