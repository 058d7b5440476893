"""Keys are followed through methods that emit elements, or fill them, for a function."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli import run
from tests.scratch import Scratch
from tests.workflows.test_key_flows import FOLDER, POM

JOB = """package org.ware;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Parcels {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("h", 9).uid("in").flatMap(new Parse()).uid("parse")
            .keyBy(Parcel::getId).process(new Wait()).uid("wait")
            .keyBy(Parcel::getCity).process(new Wait()).uid("again").print().uid("out");
        env.execute("parcels");
    }
    static class Parse extends RichFlatMapFunction<String, Parcel> {
        private final Packer packer = new Packer();
        @Override public void flatMap(String line, Collector<Parcel> out) {
            String[] parts = line.split(",");
            emit(parts, out);
            packer.pack(new Parcel(), parts, out);
        }
        private void emit(String[] parts, Collector<Parcel> out) {
            Parcel parcel = new Parcel();
            parcel.setId(parts[0]);
            parcel.setCity(parts[1]);
            parcel.setWeight(Double.parseDouble(parts[2]));
            out.collect(parcel);
        }
    }
    static class Packer implements java.io.Serializable {
        void pack(Parcel parcel, String[] parts, Collector<Parcel> out) {
            fill(parcel, parts);
            parcel.tidy();
            out.collect(parcel);
        }
        private static void fill(Parcel parcel, String[] parts) {
            parcel.setId(parts[3]);
            parcel.setCity(parts[1]);
            parcel.setWeight(Double.parseDouble(parts[2]));
        }
    }
    static class Wait extends KeyedProcessFunction<String, Parcel, Parcel> {
        private transient ListState<Parcel> waiting;
        @Override public void open(Configuration c) {
            waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", Parcel.class));
        }
        @Override public void processElement(Parcel parcel, Context ctx, Collector<Parcel> out) throws Exception {
            waiting.add(parcel);
            for (Parcel each : waiting.get()) { out.collect(each); }
            waiting.clear();
        }
    }
}
"""
PARCEL = """package org.ware;
public class Parcel {
    private String id; private String city; private double weight;
    public Parcel() {}
    public Parcel(String id, String city, double weight) { this.id = id; this.city = city; this.weight = weight; }
    public String getId() { return id; }
    public void setId(String id) { this.id = id; }
    public String getCity() { return city; }
    public void setCity(String city) { this.city = city; }
    public double getWeight() { return weight; }
    public void setWeight(double weight) { this.weight = weight; }
    public void tidy() { city = city.trim(); weight = Math.abs(weight); }
}
"""
EMIT = "emit(parts, out);\n            packer"
BUILT = """            Parcel parcel = new Parcel();
            parcel.setId(parts[0]);
            parcel.setCity(parts[1]);
            parcel.setWeight(Double.parseDouble(parts[2]));
            out.collect(parcel);
"""
COLLECTED = "for (Parcel each : waiting.get()) { out.collect(each); }\n            waiting.clear();\n        }"


def rules(folder: Path, capsys: pytest.CaptureFixture[str], job: str, parcel: str) -> list[str]:
    scratch = Scratch(folder)
    scratch.commit(**{"pom.xml": POM, f"{FOLDER}Parcels.java": JOB, f"{FOLDER}Parcel.java": PARCEL})
    scratch.commit(**{f"{FOLDER}Parcels.java": job, f"{FOLDER}Parcel.java": parcel})
    run(["check", "--engine", "in-process", "--repo", str(scratch.folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return [f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] in ("error", "warning")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("parcel.setId(parts[0]);", "parcel.setId(parts[0].trim());"),
        ("parcel.setId(parts[3]);", "parcel.setId(parts[0]);"),
        (
            "parcel.setId(parts[0]);\n            parcel.setCity(parts[1]);",
            "parcel.setId(parts[1]);\n            parcel.setCity(parts[0]);",
        ),
        ("city = city.trim();", "city = city.toLowerCase();"),
    ],
)
def test_an_edit_of_a_helper_that_changes_keys_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    assert before in JOB + PARCEL
    found = rules(tmp_path / "repo", capsys, JOB.replace(before, after), PARCEL.replace(before, after))
    assert found == ["edit-not-understood"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Double.parseDouble(parts[2])", "Math.round(Double.parseDouble(parts[2]))"),
        ("weight = Math.abs(weight);", "weight = Math.max(0, weight);"),
        (EMIT, BUILT.strip() + "\n            packer"),
        (BUILT, "            out.collect(new Parcel(parts[0], parts[1], Double.parseDouble(parts[2])));\n"),
        ("waiting", "pending"),
        (
            COLLECTED,
            "flush(out);\n        }\n        private void flush(Collector<Parcel> out) throws Exception {\n"
            + COLLECTED,
        ),
    ],
)
def test_a_helper_that_comes_or_goes_changes_no_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    assert before in JOB + PARCEL
    job = JOB.replace(before, after).replace('"pending"', '"waiting"')
    assert rules(tmp_path / "repo", capsys, job, PARCEL.replace(before, after)) == []
