"""Edits of what Flink writes, in whole programs: each verdict is the one that a real Flink gave (1.20.5, 2.3.0)."""

from __future__ import annotations

import pytest

from checker.extract import java
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Mode
from checker.model.unknowns import Unknown


@pytest.mark.parametrize(("boundedness", "mode"), [("CONTINUOUS_UNBOUNDED", Mode.STREAMING), ("BOUNDED", None)])
def test_a_source_that_never_ends_makes_a_job_a_streaming_one(boundedness: str, mode: Mode | None) -> None:
    text = """import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public abstract static class Own implements Source<Long, SourceSplit, Integer> {
    public Boundedness getBoundedness() { return Boundedness.BOUNDEDNESS; }
  }
  public static class Made extends Own {}
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setRuntimeMode(RuntimeExecutionMode.AUTOMATIC);
    env.fromSource(new Made(), WatermarkStrategy.noWatermarks(), "own").print();
    env.execute();
  }
}
"""
    files = MemoryFiles({"Job.java": text.replace("BOUNDEDNESS", boundedness).encode()})
    read = java.extract(files, PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="Job", flink="1.20"))
    assert read.mode == mode if mode is not None else isinstance(read.mode, Unknown)
