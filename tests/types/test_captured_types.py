"""A captured job tells the classes in its state as the source reader does: as Flink's own type extraction."""

from pathlib import Path

import pytest

from checker.compare.fit.types import KRYO, spelled
from checker.extract import java
from checker.extract.runtime.capture.capturing import RunnableProgram, run
from checker.extract.runtime.capture.topologies import topology_of
from checker.model.declared_state import ClassShape, FieldShape, Serialization, StateDescriptor, StateKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Topology
from checker.model.unknowns import Unknown
from tests.flinks import compiled, jars_of, packed
from tests.types.asking import pairs, source

SKIPPED = {"Generic", "LosesPublic", "NotPublic", "Inner", "Shape", "WithBodies"}
"""Classes that other code can't name as the type of a state, or not without type arguments."""


def job() -> str:
    names = [name for name, _ in pairs() if name not in SKIPPED]
    fields = "\n".join(
        f'    final ValueStateDescriptor<Types.{n}> f{n} = new ValueStateDescriptor<>("{n}", Types.{n}.class);'
        for n in names
    )
    asked = "\n".join(f"      getRuntimeContext().getState(f{n});" for n in names)
    return f"""package lab;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class TypesJob {{
  public static class Keeper extends KeyedProcessFunction<Types.Point, Long, Long> {{
{fields}
    @Override public void open(org.apache.flink.api.common.functions.OpenContext context) throws Exception {{
{asked}
      getRuntimeContext().getState(new ValueStateDescriptor<>("made", Types.Part.class));
      getRuntimeContext().getMapState(new MapStateDescriptor<>("map", String.class, Types.Nested.class));
    }}
    @Override public void processElement(Long value, Context context, Collector<Long> out) {{}}
  }}
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(1, 9).uid("numbers").keyBy(x -> new Types.Point(1, 2)).process(new Keeper()).uid("keep").print();
    env.execute();
  }}
}}
"""


def keeper(topology: Topology) -> dict[str, StateDescriptor]:
    (found,) = [t for t in topology.transformations if t.uid == "keep"]
    assert not isinstance(found.state, Unknown)
    return {str(state.name): state for state in found.state if state.kind is not StateKind.TIMERS}


def shape_of(state: StateDescriptor, name: str) -> ClassShape:
    return {shape.name: shape for shape in state.classes}[f"lab.Types${name}"]


def written(field: FieldShape) -> tuple[str, str | None, bool]:
    """A field, and whether Kryo writes it as a type of a library."""
    return field.name, field.declared_by, spelled(field.type).name == KRYO


@pytest.mark.flink
@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_capture_and_source_tell_the_same_classes(version: str, tmp_path: Path) -> None:
    jars = jars_of(version)
    sources = {"Types.java": source("before"), "TypesJob.java": job()}
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    classes = compiled(tmp_path / "classes", jars, *(tmp_path / name for name in sources))
    jar = packed(classes, tmp_path / "types.jar")

    (captured,) = run(RunnableProgram(main="lab.TypesJob", jars=(jar,), flink_jars=jars, parallelism=2)).jobs
    from_run = keeper(topology_of(captured, name="types", flink=version))
    entry = PipelineEntry(name="types", extract=ExtractorKind.JAVA, main="lab.TypesJob", flink=version, parallelism=2)
    files = {f"src/main/java/lab/{name}": text.encode() for name, text in sources.items()}
    from_source = keeper(java.extract(MemoryFiles(files), entry))

    assert from_run.keys() == from_source.keys()
    compared = 0
    for name, state in from_source.items():
        if name in ("made", "map"):
            assert {s.name for s in from_run[name].classes} == {s.name for s in state.classes}, name
            continue
        mine, flinks = shape_of(state, name), shape_of(from_run[name], name)
        if isinstance(mine.serialization, Unknown):
            continue
        assert mine.serialization is flinks.serialization, name
        if mine.serialization is Serialization.POJO:
            assert [written(f) for f in mine.fields] == [written(f) for f in flinks.fields], name
        assert mine.constants == flinks.constants
        compared += 1
    assert compared > 50
