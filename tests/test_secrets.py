"""Arguments that look like secrets are shown nowhere."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checker.cli import run
from checker.model.secrets import masked_arguments, masked_values
from tests.scratch import Scratch


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("--db.password hunter22 --n 2", "--db.password *** --n 2"),
        ("--password=hunter22 topic=orders", "--password=*** topic=orders"),
        ("-Ds3.secret-key=hunter22 -Ds3.region=eu", "-Ds3.secret-key=*** -Ds3.region=eu"),
        ("--apiKey hunter22 --keyspace shop --key-by user", "--apiKey *** --keyspace shop --key-by user"),
        ("--url jdbc:mysql://ada:hunter22@db/shop", "--url jdbc:mysql://ada:***@db/shop"),
        ("--jdbc db?user=ada&password=hunter22&x=1", "--jdbc db?user=ada&password=***&x=1"),
        ("--token --name orders", "--token --name orders"),
        ("--token -hunter22", "--token ***"),
        ("AUTH_TOKEN=hunter22 credentials:hunter22", "AUTH_TOKEN=*** credentials:***"),
        ("s3://bucket/key=1 hdfs://nn:8020/a@b 12:30", "s3://bucket/key=1 hdfs://nn:8020/a@b 12:30"),
    ],
)
def test_values_of_secrets_are_masked_and_nothing_else(arguments: str, shown: str) -> None:
    assert " ".join(masked_arguments(arguments.split())) == shown


def test_named_values() -> None:
    given = (("DB_PASSWORD", "hunter22"), ("URL", "http://a:hunter22@b/"), ("SECRET", None), ("TOPIC", "orders"))
    assert masked_values(given) == (
        ("DB_PASSWORD", "***"),
        ("URL", "http://a:***@b/"),
        ("SECRET", None),
        ("TOPIC", "orders"),
    )


JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job { public static void main(String[] args) throws Exception {
  var env = StreamExecutionEnvironment.getExecutionEnvironment();
  env.fromData(1).keyBy(x -> x).reduce((a, b) -> a).uid(args[3]).print();
  env.execute();
} }
"""
MANIFEST = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {s3.secret-key: hunter22}
  job: {entryClass: Job, jarURI: local:///job.jar, parallelism: 2, args: [--password, hunter22, --uid, %s]}
  podTemplate: {spec: {containers: [{name: flink-main-container, env: [{name: DB_TOKEN, value: hunter22}]}]}}
"""


def test_no_output_and_no_dataset_holds_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch = Scratch(tmp_path / "repo")
    scratch.commit(**{"src/main/java/Job.java": JOB, "k8s/orders.yaml": MANIFEST % "orders"})
    scratch.commit(**{"k8s/orders.yaml": MANIFEST.replace("hunter22, --uid", "hunter22x, --uid") % "sales"})
    repo, data = ("--repo", str(scratch.folder)), tmp_path / "data"
    for command in (
        *(["check", "--engine", "in-process", *repo, "--format", f] for f in ("text", "json", "markdown", "html")),
        ["doctor", *repo],
        ["ids", *repo],
        ["audit", "--range", "HEAD~1..HEAD", "--engine", "in-process", *repo, "--data", str(data)],
    ):
        run(command)
        printed = capsys.readouterr()
        assert "orders" in printed.out + printed.err
        assert "hunter22" not in printed.out + printed.err, command
    tables = [pq.read_table(path, partitioning=None).to_pylist() for path in data.rglob("*.parquet")]
    assert any("orders" in str(rows) for rows in tables)
    assert not any("hunter22" in str(rows) for rows in tables)
