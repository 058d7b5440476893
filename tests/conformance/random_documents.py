"""Random topology documents of the common kinds, seeded: the families plain, strict (no generated uids) and large."""

import random
from typing import Any

Document = dict[str, Any]
PARTITIONERS = ["forward", "rebalance", "rescale", "shuffle", "broadcast", "global", "hash", "hash", "custom"]


class _Builder:
    """One document while it grows."""

    def __init__(self, rng: random.Random, number: int, size: int, *, strict: bool) -> None:
        self.rng, self.number, self.size = rng, number, size
        self.parallelism = rng.choice([1, 1, 2, 4, 8])
        self.document: Document = {"topology": 1, "name": f"g{number}", "parallelism": self.parallelism}
        if rng.random() < 0.1:
            self.document["chaining"] = False
        if rng.random() < 0.15:
            self.document["max_parallelism"] = rng.choice([128, 256, 4096])
        if strict:
            self.document["auto_generate_uids"] = False
        self.transformations: list[Document] = []
        self.uid_rate = rng.choice([0, 0, 0.2, 0.5, 1])
        self.uids: list[str] = []
        self.streams: list[tuple[str, int, str | None]] = []
        """Id, parallelism and, where it is a partition, the partitioner."""

    def physical(self, t: Document) -> Document:
        rng = self.rng
        if rng.random() < self.uid_rate:
            fresh = rng.random() < 0.97 or not self.uids
            t["uid"] = f"uid-{self.number}-{len(self.transformations)}" if fresh else rng.choice(self.uids)
            self.uids.append(t["uid"])
        if rng.random() < 0.05:
            t["uid_hash"] = f"{rng.getrandbits(128):032x}"
        if rng.random() < 0.2:
            t["parallelism"] = rng.choice([1, 2, self.parallelism, self.parallelism, 3])
        if rng.random() < 0.08:
            t["max_parallelism"] = rng.choice([128, 256, 512, 32768])
        if rng.random() < 0.08:
            t["slot_sharing_group"] = rng.choice(["a", "b", "default"])
        if rng.random() < 0.5:
            t["name"] = rng.choice(["Map", "Filter", "Ünïcode ☃", "a b", "X"]) + str(rng.randint(0, 9))
        return t

    def add(self, t: Document, parallelism: int, partitioner: str | None = None) -> None:
        self.transformations.append(t)
        self.streams.append((t["id"], parallelism, partitioner))

    def sources(self) -> None:
        rng = self.rng
        for number in range(1 if rng.random() < 0.6 else rng.randint(2, 4)):
            kind = "source" if rng.random() < 0.6 else "legacy-source"
            t = self.physical({"id": f"s{number}", "kind": kind})
            if rng.random() < 0.05:
                t["chaining"] = rng.choice(["never", "head", "always"])
            self.add(t, t.get("parallelism", self.parallelism))

    def step(self, number: int) -> None:
        rng, name = self.rng, f"t{number}"
        source, parallelism, partitioner = rng.choice(self.streams[-6:] if rng.random() < 0.8 else self.streams)
        r = rng.random()
        if partitioner is not None and r < 0.55:
            r = 0.9  # use up partitions
        if r < 0.18:
            chosen = rng.choice(PARTITIONERS)
            t: Document = {"id": name, "kind": "partition", "inputs": [source], "partitioner": chosen}
            self.add(t, parallelism, chosen)
        elif r < 0.26 and len(self.streams) > 1:
            joined = rng.sample(self.streams, min(len(self.streams), rng.choice([2, 2, 2, 3])))
            if rng.random() < 0.1:
                joined.append(joined[0])
            self.add({"id": name, "kind": "union", "inputs": [s[0] for s in joined]}, parallelism)
        elif r < 0.33 and any(t["id"] == source and t["kind"] == "operator" for t in self.transformations):
            tag = rng.choice(["late", "err"]) + source
            self.add({"id": name, "kind": "side-output", "inputs": [source], "tag": tag}, parallelism)
        else:
            self.operator(name, source, parallelism, partitioner, several=r >= 0.85)

    def operator(self, name: str, source: str, parallelism: int, partitioner: str | None, *, several: bool) -> None:
        rng = self.rng
        inputs = [source]
        if several and len(self.streams) > 1:
            more = 1 if rng.random() < 0.85 else 2
            inputs += [s[0] for s in rng.sample(self.streams, min(len(self.streams), more))]
        t = self.physical({"id": name, "kind": "operator", "inputs": inputs})
        if partitioner == "hash":
            t["keyed"] = True
        if partitioner == "forward" and rng.random() < 0.9:
            t["parallelism"] = parallelism
        if rng.random() < 0.12:
            t["chaining"] = rng.choice(["never", "head", "always", "head"])
        self.add(t, t.get("parallelism", self.parallelism))

    def sinks(self) -> None:
        rng = self.rng
        used = {name for t in self.transformations for name in t.get("inputs", [])}
        number = 0
        for t in list(self.transformations):
            if t["id"] in used or (rng.random() < 0.2 and t["kind"] == "operator"):
                continue
            kind = "sink" if rng.random() < 0.5 else "legacy-sink"
            sink = self.physical({"id": f"k{number}", "kind": kind, "inputs": [t["id"]]})
            if kind == "sink" and rng.random() < 0.9:
                sink.pop("uid_hash", None)  # refused at once: once in a while is enough
            if kind == "sink" and rng.random() < 0.4:
                sink["committer"] = True
            self.transformations.append(sink)
            number += 1


def random_document(rng: random.Random, number: int, *, size: int = 14, strict: bool = False) -> Document:
    """One document called ``g<number>`` with up to ``size`` steps between its sources and its sinks."""
    builder = _Builder(rng, number, size, strict=strict)
    builder.sources()
    for step in range(rng.randint(2, size)):
        builder.step(step)
    builder.sinks()
    return {**builder.document, "transformations": builder.transformations}
