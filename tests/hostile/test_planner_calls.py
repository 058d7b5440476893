"""What statements and recorded calls may do in the planner's process: nothing is compiled, loaded or written there."""

from pathlib import Path

import pytest

from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import SideToRead
from checker.workflows.planning_programs import plan_programs
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import jars_of

pytestmark = pytest.mark.flink

TABLES = (
    "CREATE TABLE a (s STRING, n INT) WITH ('connector' = 'datagen')",
    "CREATE TABLE b (s STRING, n BIGINT) WITH ('connector' = 'print')",
)
INSERT = "INSERT INTO b SELECT s, COUNT(n) FROM a GROUP BY s"
IMPORTS = "".join(
    f"import org.apache.flink.{name};\n"
    for name in (
        "table.api.EnvironmentSettings", "table.api.TableEnvironment", "table.runtime.generated.CompileUtils",
        "table.catalog.FileCatalogStore",
        "table.catalog.CatalogDescriptor", "configuration.Configuration",
    )
)  # fmt: skip
CALLS = {
    "code is compiled": 'CompileUtils.compile(settings.getUserClassLoader(), "X", '
    '"public class X { static { try { java.nio.file.Files.createFile(java.nio.file.Paths.get(\\"CANARY\\")); }'
    ' catch (Exception e) { } } }").newInstance();',
    "a catalog is stored": 'FileCatalogStore store = new FileCatalogStore("CANARY"); store.open(); '
    'store.storeCatalog("x", CatalogDescriptor.of("x", new Configuration()));',
    "a plan is written": f't.compilePlanSql("{INSERT}").writeToFile("CANARY");',
    "a plan is written by a statement": f"t.executeSql(\"COMPILE PLAN 'CANARY''' FOR {INSERT}\");",
    "an option is set": 't.getConfig().set("execution.checkpointing.dir", "file://CANARY");',
}
STATEMENTS = {
    "a plan of a quoted name": f"COMPILE PLAN 'CANARY''' FOR {INSERT};",
    "a plan behind a comment": f"COMPILE // x\nPLAN 'CANARY' FOR {INSERT};",
    "checkpoints": "SET 'execution.checkpointing.dir' = 'file://CANARY'; SET 'state.checkpoints.dir' = 'file://CANARY';",
    "local folders": "SET 'state.backend.type' = 'rocksdb'; SET 'state.backend.rocksdb.localdir' = 'CANARY';",
    "catalogs": "SET 'table.catalog-store.kind' = 'file'; SET 'table.catalog-store.file.path' = 'file://CANARY';",
}


def test_nothing_is_compiled_loaded_or_written(tmp_path: Path) -> None:
    jars_of("1.20.5")
    folder = tmp_path / "canaries"
    folder.mkdir()
    entries, files = [], {}
    for place, call in enumerate(CALLS.values()):
        made = "\n".join(f't.executeSql("{table}");' for table in TABLES)
        files[f"J{place}.java"] = (
            f"{IMPORTS}public class J{place} {{ public static void main(String[] args) throws Exception {{\n"
            "EnvironmentSettings settings = EnvironmentSettings.newInstance().inStreamingMode().build();\n"
            f"TableEnvironment t = TableEnvironment.create(settings);\n{made}\n"
            f'{call.replace("CANARY", str(folder / str(place)))}\nt.executeSql("{INSERT}");\n}} }}\n'
        ).encode()  # fmt: skip
        entries.append(
            PipelineEntry(
                name=f"J{place}", extract=ExtractorKind.JAVA, file=f"J{place}.java", main=f"J{place}", flink="1.20.5"
            )
        )
    read = plan_programs([SideToRead(name="head", files=MemoryFiles(files), entries=entries)], Execution(fetch=False))
    assert len(read["head"]) == len(CALLS)
    assert not list(folder.iterdir())


def test_statements_write_nothing(tmp_path: Path) -> None:
    jars_of("1.20.5")
    folder = tmp_path / "canaries"
    folder.mkdir()
    files = {
        f"{place}.sql": ";\n".join(
            (*TABLES, f"{text.replace('CANARY', str(folder / str(place)))}\n{INSERT}", "")
        ).encode()
        for place, text in enumerate(STATEMENTS.values())
    }
    entries = [PipelineEntry(name=path, extract=ExtractorKind.SQL, file=path, flink="1.20.5") for path in files]
    plan_scripts([SideToRead(name="head", files=MemoryFiles(files), entries=entries)], Execution(fetch=False))
    assert not list(folder.iterdir())
