"""Scripts that the SQL client runs: which, after which, and with which options."""

from pathlib import Path

import pytest

from checker.api import compare
from checker.extract import registry
from checker.extract.deployments.discovery import deployments
from checker.extract.sql.scripts.reading import options_of
from checker.model.deployments import DeploymentKind
from checker.model.pipelines import PipelineEntry
from checker.model.sources import MemoryFiles
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries
from tests.scratch import Scratch

TABLES = """\
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka');
CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print');
"""
JOB = "SET 'pipeline.name' = 'totals';\nINSERT INTO totals SELECT COUNT(*) FROM orders;"
SCRIPTS = {"sql/dev/tables.sql": TABLES, "sql/prod/tables.sql": TABLES, "sql/totals.sql": JOB}
STARTS = {
    "run.sh": "bin/sql-client.sh -D table.exec.state.ttl=1h -i /opt/sql/prod/tables.sql -f /opt/sql/totals.sql\n",
    "compose.yaml": "services:\n  client:\n    command: >\n      /opt/flink/bin/sql-client.sh embedded "
    "--init=/opt/sql/prod/tables.sql\n      -f /opt/sql/totals.sql -Dtable.exec.state.ttl=1h\n",
    "Dockerfile": 'FROM flink:1.20\nCMD ["bin/sql-client.sh", "-i", "sql/prod/tables.sql", "-f", "sql/totals.sql", '
    '"-D", "table.exec.state.ttl=1h"]\n',
}


def read(texts: dict[str, str]) -> PipelineEntry:
    files = MemoryFiles({path: text.encode() for path, text in texts.items()})
    settings = parse_settings({}, "here")
    (entry,) = deployed_entries(registry.discover(files, settings).entries, files, settings)
    return entry


@pytest.mark.parametrize("start", STARTS)
def test_a_script_is_read_after_the_one_that_initializes_the_client(start: str) -> None:
    entry = read({**SCRIPTS, start: STARTS[start]})
    assert entry.deployment is not None
    assert entry.deployment.kind is DeploymentKind.SQL_CLIENT
    assert entry.files == ("sql/prod/tables.sql", "sql/totals.sql")
    assert entry.configuration == (("table.exec.state.ttl", "1h"),)


def test_an_interactive_client_and_a_script_that_a_shell_fills_in_are_no_deployments() -> None:
    for text in ("bin/sql-client.sh\n", "sql-client.sh -i init.sql\n", "sql-client.sh -f $SCRIPT\n"):
        assert deployments(MemoryFiles({"run.sh": text.encode()})) == ()


def test_an_initialization_that_may_be_one_of_several_files_is_none() -> None:
    entry = read({**SCRIPTS, "run.sh": "sql-client.sh -i tables.sql -f totals.sql\n"})
    assert "sql/prod/tables.sql" not in entry.files


def test_options_of_the_deployment_decide_on_the_plan() -> None:
    entry = read({**SCRIPTS, "run.sh": STARTS["run.sh"]})
    assert options_of(entry)["table.exec.state.ttl"] == "1h"


def test_scripts_that_start_a_pipeline_are_replaced_by_another(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "repo")
    start = "/opt/flink/bin/sql-client.sh -f /opt/flink/sql/totals.sql\n"
    scratch.commit(**{"sql/totals.sql": TABLES + JOB, "deploy.sh": start, "deploy-s3.sh": f"cd /opt\n{start}"})
    for name in ("deploy.sh", "deploy-s3.sh"):
        (scratch.folder / name).unlink()
    scratch.commit(deploy=start)
    assert {p["name"] for p in compare(scratch.folder, base="HEAD~1", head="HEAD")["pipelines"]} == {"totals"}
