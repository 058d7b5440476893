"""How fast a large Java repository is read: 1,000 files, 20 mains, two revisions, in process.

    python benchmarks/java_repository.py [--files 1000] [--mains 20] [--profile]
    python benchmarks/java_repository.py --check --files 12000 --mains 2000    `check` as a process, a tenth edited

Goals on two cores: under 2 s for discovery and extraction of both revisions, under 0.5 s where no file that a pipeline
reaches has changed (the second revision is then known from the first).
"""

import argparse
import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checker.extract import java
from checker.model.sources import MemoryFiles, SourceFiles
from checker.model.topology import Topology

ROOT = "jobs/src/main/java/com/acme"

MAIN = """package com.acme.job{n};

import com.acme.common.Environments;
import com.acme.common.Uids;
import com.acme.job{n}.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import java.time.Duration;

/** Job number {n}. */
public class Job{n} {{
    private static final String NAME = "job-{n}";

    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = Environments.create(args);
        DataStream<Event> events = source(env).map(new Parse()).uid(Uids.of(NAME, "parse"));
        SingleOutputStreamOperator<Event> clean = events.filter(new Valid()).uid(Uids.of(NAME, "valid"));
        for (String region : new String[] {{"eu", "us", "ap"}}) {{
            clean.filter(e -> region.equals(e.region())).uid(Uids.of(NAME, "region-" + region))
                    .keyBy(Event::key).process(new Count()).uid(Uids.of(NAME, "count-" + region))
                    .sinkTo(sink(region)).uid(Uids.of(NAME, "sink-" + region));
        }}
        clean.keyBy(Event::key).window(TumblingEventTimeWindows.of(Duration.ofMinutes({n} + 1)))
                .reduce((a, b) -> a).name("last").print();
        env.execute(NAME);
    }}

    private static DataStream<String> source(StreamExecutionEnvironment env) {{
        KafkaSource<String> source = KafkaSource.<String>builder().setTopics("in-{n}").build();
        return env.fromSource(source, WatermarkStrategy.noWatermarks(), "in").uid(Uids.of(NAME, "in"));
    }}

    private static KafkaSink<Event> sink(String region) {{
        return KafkaSink.<Event>builder().setBootstrapServers("b-" + region).build();
    }}
}}
"""

FUNCTIONS = {
    "Event": "public class Event {{ private String key; public String key() {{ return key; }}"
    " public String region() {{ return key; }} }}",
    "Parse": "public class Parse implements org.apache.flink.api.common.functions.MapFunction<String, Event> {{"
    " public Event map(String s) {{ return new Event(); }} }}",
    "Valid": "public class Valid implements org.apache.flink.api.common.functions.FilterFunction<Event> {{"
    " public boolean filter(Event e) {{ return e != null; }} }}",
    "Count": "import org.apache.flink.api.common.state.*;\n"
    "public class Count extends org.apache.flink.streaming.api.functions.KeyedProcessFunction<String, Event, Event> {{"
    " private ValueState<Long> count; public void open(org.apache.flink.configuration.Configuration c) {{"
    ' count = getRuntimeContext().getState(new ValueStateDescriptor<>("count-{n}", Long.class)); }}'
    " public void processElement(Event e, Context ctx, org.apache.flink.util.Collector<Event> out) {{}} }}",
}

COMMON = {
    "Environments": "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "public final class Environments { public static StreamExecutionEnvironment create(String[] args) {"
    " StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
    " env.enableCheckpointing(60000); env.setParallelism(4); return env; } }",
    "Uids": 'public final class Uids { public static String of(String job, String part) { return job + "." + part; } }',
}


def repository(files: int, mains: int) -> dict[str, bytes]:
    """The files of the first revision."""
    found: dict[str, bytes] = {}
    for name, body in COMMON.items():
        found[f"{ROOT}/common/{name}.java"] = f"package com.acme.common;\n{body}\n".encode()
    for n in range(mains):
        found[f"{ROOT}/job{n}/Job{n}.java"] = MAIN.format(n=n).encode()
        for name, body in FUNCTIONS.items():
            text = f"package com.acme.job{n}.functions;\n{body.format(n=n)}\n"
            found[f"{ROOT}/job{n}/functions/{name}.java"] = text.encode()
    number = 0
    while len(found) < files:
        found[f"services/src/main/java/com/acme/service{number % 40}/Service{number}.java"] = _service(number).encode()
        number += 1
    return found


def _service(number: int) -> str:
    methods = "\n".join(
        f'    public String method{m}(String a, int b) {{ if (b > {m}) {{ return a + "{m}"; }}'
        f" for (int i = 0; i < b; i++) {{ a = a.trim(); }} return a; }}"
        for m in range(25)
    )
    return (
        f"package com.acme.service{number % 40};\n\nimport java.util.*;\n\n/** A service that no job reaches. */\n"
        f"public class Service{number} {{\n    private final List<String> all = new ArrayList<>();\n{methods}\n}}\n"
    )


def read(files: SourceFiles) -> list[Topology]:
    """Discover and extract all pipelines of one revision."""
    return [java.extract(files, entry) for entry in java.discover(files).entries]


def unreached(topologies: list[Topology], base: SourceFiles, head: SourceFiles) -> bool:
    """Whether the second revision changes nothing that the pipelines of the first were read from."""
    if base.paths() != head.paths():
        return False
    changed = {path for path in base.paths() if base.content_id(path) != head.content_id(path)}
    return not any(changed.intersection(topology.files) for topology in topologies)


class Revision(MemoryFiles):
    """Files whose ids are known beforehand, as git knows them."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        super().__init__(contents)
        ids = {path: MemoryFiles.content_id(self, path) for path in contents}
        object.__setattr__(self, "_ids", ids)

    def content_id(self, path: str) -> str:
        ids: dict[str, str] = self.__dict__["_ids"]
        return ids[path]


POM = b"""<project><modelVersion>4.0.0</modelVersion><groupId>com.acme</groupId><artifactId>jobs</artifactId>
<version>1</version><dependencies><dependency><groupId>org.apache.flink</groupId>
<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>"""


def check(contents: dict[str, bytes], mains: int) -> None:
    """``check`` in one process, first without a cache and then with it: a tenth of the pipelines is edited."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, "repository")
        _commit(top, {**contents, "jobs/pom.xml": POM})
        edited = [f"{ROOT}/job{n}/Job{n}.java" for n in range(0, mains, 10)]
        _commit(top, {path: contents[path].replace(b"filter(new", b"rebalance().filter(new") for path in edited})
        for state in ("cold", "warm"):
            command = [Path(sys.executable).with_name("savepoint-checker"), "check", "--base", "HEAD~1"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            environment = {**os.environ, "XDG_CACHE_HOME": folder}
            subprocess.run([*command, "--engine", "in-process"], cwd=top, env=environment, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{mains} pipelines, {len(edited)} edited, {state}: {seconds:.1f} s of processor time,", end=" ")
            print(f"at most {after.ru_maxrss / 1024:.0f} MB so far")


def _commit(top: Path, contents: dict[str, bytes]) -> None:
    for path, data in contents.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(data)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@a"]
    for asked in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "next"]):
        subprocess.run([*git, *asked], cwd=top, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--mains", type=int, default=20)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    contents = repository(options.files, options.mains)
    if options.check:
        check(contents, options.mains)
        return 0
    base = Revision(contents)
    parse = f"{ROOT}/job0/Job0.java"
    edited = contents[parse].replace(b"filter(new Valid())", b"rebalance().filter(new Valid())")
    head = Revision({**contents, parse: edited})
    service = next(path for path in contents if path.startswith("services/"))
    elsewhere = Revision({**contents, service: contents[service] + b"// moved\n"})

    profile = cProfile.Profile() if options.profile else None
    if profile is not None:
        profile.enable()
    start = time.perf_counter()
    before, after = read(base), read(head)
    both = time.perf_counter() - start
    start = time.perf_counter()
    again = read(base)
    same = unreached(again, base, elsewhere)
    unchanged = time.perf_counter() - start
    if profile is not None:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(35)
    assert len(before) == len(after) == options.mains, (len(before), len(after))
    assert same
    size = sum(map(len, contents.values()))
    print(f"{len(contents)} files ({size / 1e6:.1f} MB), {len(before)} pipelines,", end=" ")
    print(f"{sum(len(t.transformations) for t in before)} transformations")
    print(f"two revisions, one changed file that a pipeline reaches: {both:.2f} s (goal 2 s)")
    print(f"nothing reached has changed: {unchanged:.2f} s (goal 0.5 s)")
    return 0 if both < 2 and unchanged < 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
