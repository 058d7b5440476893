"""What statements and recorded calls may do in the planner's process: nothing is compiled, loaded or written there."""

import json
from pathlib import Path

import pytest

from checker.extract.runtime.execution import Execution
from checker.extract.sql.planner.allowed import check_plan, check_text
from checker.extract.sql.planner.jvm import NotReplayedError
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import SideToRead
from checker.workflows.planning_programs import plan_programs
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import jars_of

pytestmark = [pytest.mark.flink, pytest.mark.usefixtures("_one_planner")]

TABLES = (
    "CREATE TABLE a (s STRING, n INT) WITH ('connector' = 'datagen')",
    "CREATE TABLE b (s STRING, n BIGINT) WITH ('connector' = 'print')",
)
INSERT = "INSERT INTO b SELECT s, COUNT(n) FROM a GROUP BY s"
IMPORTS = "".join(
    f"import org.apache.flink.{name};\n"
    for name in (
        "table.api.EnvironmentSettings", "table.api.TableEnvironment", "table.api.TableDescriptor", "table.api.Schema",
        "table.runtime.generated.CompileUtils",
        "table.catalog.FileCatalogStore", "table.functions.ScalarFunction",
        "table.catalog.CatalogDescriptor", "configuration.Configuration",
    )
)  # fmt: skip
BATCH = (
    "t.executeSql(\"CREATE TABLE f (s STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')\");\n"
    't.createTemporaryTable("g", TableDescriptor.forConnector("filesystem").option("path", "file://CANARY")\n'
    '.format("csv").schema(Schema.newBuilder().column("s", "STRING").build()).build());\n'
    't.executeSql("INSERT INTO g SELECT s FROM f");'
)
CALLS = {
    "code is compiled": 'CompileUtils.compile(settings.getUserClassLoader(), "X", '
    '"public class X { static { try { java.nio.file.Files.createFile(java.nio.file.Paths.get(\\"CANARY\\")); }'
    ' catch (Exception e) { } } }").newInstance();',
    "a catalog is stored": 'FileCatalogStore store = new FileCatalogStore("CANARY"); store.open(); '
    'store.storeCatalog("x", CatalogDescriptor.of("x", new Configuration()));',
    "a plan is written": f't.compilePlanSql("{INSERT}").writeToFile("CANARY");',
    "a plan is written by a statement": f"t.executeSql(\"COMPILE PLAN 'CANARY''' FOR {INSERT}\");",
    "an option is set": 't.getConfig().set("execution.checkpointing.dir", "file://CANARY");',
    "modules are left out": f't.useModules("core"); {BATCH}',
    "a module is taken out": f't.unloadModule("stand-ins"); {BATCH}',
}
RUNS = (
    "static { try { java.nio.file.Files.createFile(java.nio.file.Paths.get(\\u0022CANARY\\u0022)); }"
    " catch (Exception e) { } }"
)
LIST = "public java.util.List<"
OF_LISTS = f"String> x() {{ return null; }} {RUNS} {LIST}"
FUNCTIONS = {
    "a quote is escaped": f'static final String X = "\\u0022; {RUNS} static final String Y = \\u0022"; public String',
    "a line ends before its comment": f"{LIST}//\r{OF_LISTS}\nString>",
    "the end of a comment is escaped": f"{LIST}/*\\u002a\\u002f{OF_LISTS}/**/String>",
}
"""What the compiler reads as code, and the parser as a text or a comment."""
STATEMENTS = {
    "a plan of a quoted name": f"COMPILE PLAN 'CANARY''' FOR {INSERT};",
    "a plan behind a comment": f"COMPILE // x\nPLAN 'CANARY' FOR {INSERT};",
    "checkpoints": "SET 'execution.checkpointing.dir' = 'file://CANARY'; SET 'state.checkpoints.dir' = 'file://CANARY';",
    "local folders": "SET 'state.backend.type' = 'rocksdb'; SET 'state.backend.rocksdb.localdir' = 'CANARY';",
    "a table of the old kind": "CREATE TABLE c (s STRING) WITH ('connector.type' = 'filesystem', 'format.type' = 'csv',"
    " 'update-mode' = 'append', 'connector.path' = 'file://CANARY'); INSERT INTO c SELECT s FROM a;",
    "catalogs": "SET 'table.catalog-store.kind' = 'file'; SET 'table.catalog-store.file.path' = 'file://CANARY';",
}


def test_nothing_is_compiled_loaded_or_written(tmp_path: Path) -> None:
    jars_of("1.20.5")
    folder = tmp_path / "canaries"
    folder.mkdir()
    entries, files = [], {}
    calls = [(call, "") for call in CALLS.values()]
    used = 't.createTemporarySystemFunction("f", F.class); t.executeSql("INSERT INTO b SELECT f(s), 1 FROM a");'
    for members in FUNCTIONS.values():
        function = f"public static class F extends ScalarFunction {{ {members} eval(String s) {{ return null; }} }}"
        calls.append((used, function))
    for place, (call, function) in enumerate(calls):
        canary, mode = str(folder / str(place)), "inBatchMode" if BATCH in call else "inStreamingMode"
        made = "\n".join(f't.executeSql("{table}");' for table in TABLES)
        files[f"J{place}.java"] = (
            f"{IMPORTS}public class J{place} {{ public static void main(String[] args) throws Exception {{\n"
            f"EnvironmentSettings settings = EnvironmentSettings.newInstance().{mode}().build();\n"
            f"TableEnvironment t = TableEnvironment.create(settings);\n{made}\n"
            f'{call.replace("CANARY", canary)}\nt.executeSql("{INSERT}");\n}} {function.replace("CANARY", canary)} }}\n'
        ).encode()  # fmt: skip
        entries.append(
            PipelineEntry(
                name=f"J{place}", extract=ExtractorKind.JAVA, file=f"J{place}.java", main=f"J{place}", flink="1.20.5"
            )
        )
    read = plan_programs([SideToRead(name="head", files=MemoryFiles(files), entries=entries)], Execution(fetch=False))
    assert len(read["head"]) == len(calls)
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


@pytest.mark.parametrize(
    "text", ["raw --\r(U&'a', 'b')", "ROW<-- INT, b RAW ('a', 'b')>", "RAW /*(*/\u2003// x\n ('a')"]
)
def test_no_serializer_is_read_from_a_text(text: str) -> None:
    with pytest.raises(NotReplayedError):
        check_text(text)
    with pytest.raises(NotReplayedError):
        check_plan(json.dumps({"description": 'a" -- b', "nodes": [{"type": text}]}))
    check_text("SELECT raw, draw(x) FROM t WHERE format = 'raw' AND (raw) IN (1)")
