"""Each kind of repair, written into a program and asked of real Flink: it restores what it refused before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.cli import run
from tests.referees.restores import Cluster, cluster
from tests.referees.state_edits import SINK, keeping, program
from tests.scratch import Scratch

VERSION = "1.20.5"
POM = f"""<project><modelVersion>4.0.0</modelVersion><groupId>acme</groupId><artifactId>job</artifactId>
<version>1</version><dependencies><dependency><groupId>org.apache.flink</groupId>
<artifactId>flink-streaming-java</artifactId><version>{VERSION}</version></dependency></dependencies></project>"""
KEEP = keeping("Long", 'new ValueStateDescriptor<>("kept", Long.class)', "1L")
KEEP += '\n  static final String PREFIX = "kept"; static final List<String> PARTS = List.of("a", "b");'
COUNT = "orders.keyBy(o -> o.id).process(new Keep())"
BY_CUSTOMER = f'{COUNT.replace("o.id", "o.customer")}.uid("second").sinkTo(new DiscardingSink<>()).uid("rest");'
ONE = f"{COUNT}\n      .uid(UID){SINK}"
LOOP = f"for (String part : PARTS) {{ {COUNT}.uid(PREFIX + part).sinkTo(new DiscardingSink<>()).uid(part); }}"
FILES = """orders.map(o -> o.id).returns(String.class).uid("ids")EDIT.sinkTo(
        org.apache.flink.connector.file.sink.FileSink.forRowFormat(
          new org.apache.flink.core.fs.Path(System.getProperty("java.io.tmpdir") + "/rows"),
          new org.apache.flink.api.common.serialization.SimpleStringEncoder<String>()).build());"""
CALLS = re.compile(r'\.(?:uid|set\w*UidHash|setMaxParallelism)\("?[^")]+"?\)')
REPAIRS = {
    "restore-uid": (ONE.replace("UID", '"first"'), ONE.replace("UID", '"other"')),
    "restore-uid, of a constant": (LOOP, LOOP, ('"kept"; static', '"other"; static')),
    "restore-uid, swapped": (
        ONE.replace("UID", '"first"') + BY_CUSTOMER,
        ONE.replace("UID", '"second"') + BY_CUSTOMER.replace('"second"', '"first"'),
    ),
    "pin": (f"{COUNT}{SINK}", f"orders.filter(o -> true){COUNT.removeprefix('orders')}{SINK}"),
    "sink-hashes": (FILES.replace("EDIT", ""), FILES.replace("EDIT", ".filter(s -> true)")),
    "max-parallelism": (
        f"{COUNT}.uid(\"first\").setMaxParallelism(64){SINK}", f"{COUNT}.uid(\"first\").setMaxParallelism(32){SINK}"
    ),
    "new-uid": (ONE.replace("UID", '"second"'), ONE.replace("UID", '"second"') + BY_CUSTOMER),
}  # fmt: skip


@pytest.fixture(scope="module")
def asked() -> Iterator[Cluster]:
    with cluster(VERSION) as found:
        yield found


@pytest.mark.flink
@pytest.mark.parametrize("name", REPAIRS)
def test_flink_restores_what_repair_prints_and_writes(
    name: str, asked: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after, *constant = REPAIRS[name]
    base, head = program(KEEP, before), program(KEEP, after)
    for old, new in constant:
        assert old in head
        head = head.replace(old, new)
    scratch = Scratch(tmp_path)
    job = "src/main/java/Job.java"
    scratch.commit(**{"pom.xml": POM, job: base})
    scratch.commit(**{job: head})
    assert run(["check", "--engine", "in-process", "--repo", str(tmp_path), "--base", "HEAD~1"]) == 1
    printed = capsys.readouterr().out
    assert run(["repair", "--repo", str(tmp_path), "--base", "HEAD~1", "--write"]) == 0
    written = (tmp_path / job).read_text()
    swapped = {'.uid("first")', '.uid("second")'} if "swapped" in name else set()
    calls = swapped or {*CALLS.findall(written)} - {*CALLS.findall(head)}
    assert calls or constant
    assert all(call in printed for call in calls), "what is printed is not what is written"
    if not swapped:  # nothing but the key's hash tells Flink
        assert asked.restore(base, head).verdict == "FAILED"
    assert asked.restore(base, written).verdict == "RESTORED"
