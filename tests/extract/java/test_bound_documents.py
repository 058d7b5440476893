"""Documents that Jackson, Gson and SnakeYAML bind to classes: what programs read of them decides their graphs."""

from __future__ import annotations

from typing import Any

import pytest

from checker.model.unknowns import Unknown
from tests.extract.java.test_configuration_files import program, read, uid_and_parallelism

JSON = '{"uid": "counts", "job": {"slots": 3, "stages": ["a", "b"]}, "labels": {"x": "y"}}'
YAML = "uid: counts\njob:\n  slots: 3\n  stages: [a, b]\nlabels: {x: y}\n"
BEAN = """
  static class Settings {
    private String uid;
    private Job2 job;
    private Map<String, String> labels;
    public String getUid() { return uid; }
    public void setUid(String uid) { this.uid = uid; }
    public Job2 getJob() { return job; }
    public void setJob(Job2 job) { this.job = job; }
    public Map<String, String> getLabels() { return labels; }
    public void setLabels(Map<String, String> labels) { this.labels = labels; }
  }
  static class Job2 {
    public int slots = 1;
    public List<String> stages = new ArrayList<>();
  }
"""
RECORD = """
  record Settings(String uid, Job2 job, Map<String, String> labels) {
    String getUid() { return uid; }
    Job2 getJob() { return job; }
  }
  record Job2(int slots, List<String> stages) {}
"""
PLAN = "env.fromElements(1).map(x -> x).uid({}).setParallelism({}).print();"
USE = PLAN.format("s.getUid()", "s.getJob().slots")
OPEN = 'InputStream in = Job.class.getResourceAsStream("/job.conf");'
READERS = {
    "jackson": ("Settings s = new com.fasterxml.jackson.databind.ObjectMapper().readValue(in, Settings.class);", JSON),
    "jackson yaml": (
        "com.fasterxml.jackson.databind.ObjectMapper m = new com.fasterxml.jackson.databind.ObjectMapper("
        "new com.fasterxml.jackson.dataformat.yaml.YAMLFactory()); Settings s = m.readValue(in, Settings.class);",
        YAML,
    ),
    "gson": (
        "Settings s = new com.google.gson.Gson().fromJson(new java.io.InputStreamReader(in), Settings.class);",
        JSON,
    ),
    "snakeyaml": ("Settings s = new Yaml().loadAs(in, Settings.class);", YAML),
    "snakeyaml with a constructor": (
        "Settings s = new Yaml(new org.yaml.snakeyaml.constructor.Constructor(Settings.class, "
        "new org.yaml.snakeyaml.LoaderOptions())).load(in);",
        YAML,
    ),
}


def bound(reader: str, document: str, classes: str = BEAN, use: str = USE, **configured: Any) -> tuple[Any, Any]:
    files = program(f"{OPEN} {reader} {use}", **{"job.conf": document})
    path = "src/main/java/Job.java"
    text = files.contents[path].decode().replace("public class Job {\n", "public class Job {\n" + classes)
    return uid_and_parallelism(read(type(files)({**files.contents, path: text.encode()}), **configured))


@pytest.mark.parametrize("name", READERS)
def test_a_bean(name: str) -> None:
    assert bound(*READERS[name]) == ("counts", 3)


@pytest.mark.parametrize("name", ["jackson", "jackson yaml", "gson"])
def test_a_record(name: str) -> None:
    use = PLAN.format("s.getUid()", "s.getJob().slots()")
    assert bound(*READERS[name], classes=RECORD, use=use) == ("counts", 3)


def test_names_of_annotations() -> None:
    named = '@com.fasterxml.jackson.annotation.JsonProperty("job-uid") private String uid;'
    reader, document = READERS["jackson"]
    classes = BEAN.replace("private String uid;", named)
    assert bound(reader, document.replace('"uid"', '"job-uid"'), classes) == ("counts", 3)
    named = '@com.google.gson.annotations.SerializedName("u") private String uid;'
    reader, document = READERS["gson"]
    assert bound(reader, document.replace('"uid"', '"u"'), BEAN.replace("private String uid;", named)) == ("counts", 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"uid": "counts"', '"uid": "counts", "more": 1'),
        ('"uid": "counts"', '"uid": "counts", "uid": "other"'),
        ('"slots": 3', '"slots": "3"'),
        ("{", "[" * 5000 + "{"),
    ],
)
def test_what_a_library_may_read_otherwise_is_unknown(old: str, new: str) -> None:
    reader, document = READERS["jackson"]
    uid, slots = bound(reader, document.replace(old, new, 1))
    assert isinstance(slots, Unknown)
    assert isinstance(uid, Unknown) or uid == "counts"


def test_aliases_do_not_grow() -> None:
    pairs = zip("abcdefghijklmno", "bcdefghijklmnop", strict=True)
    bomb = "a: &a [x, x]\n" + "\n".join(f"{b}: &{b} [*{a}, *{a}]" for a, b in pairs)
    reader, _ = READERS["snakeyaml"]
    assert isinstance(bound(reader, bomb)[0], Unknown)


def test_what_is_not_there_keeps_its_default() -> None:
    reader, _ = READERS["jackson"]
    feature = "com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES"
    lenient = reader.replace("ObjectMapper()", f"ObjectMapper().configure({feature}, false)")
    assert bound(lenient, '{"uid": "a", "job": {}, "more": 1}') == ("a", 1)


MAPPER = "new com.fasterxml.jackson.databind.ObjectMapper()"


def test_a_tree_of_jackson() -> None:
    reader = f"com.fasterxml.jackson.databind.JsonNode n = {MAPPER}.readTree(in);"
    use = PLAN.format('n.get("uid").asText()', 'n.path("job").path("slots").asInt()')
    assert bound(reader, JSON, use=use) == ("counts", 3)


def test_a_map_by_type_reference() -> None:
    kind = "new com.fasterxml.jackson.core.type.TypeReference<Map<String, Object>>() {}"
    reader = f"Map<String, Object> m = {MAPPER}.readValue(in, {kind});"
    use = PLAN.format('(String) m.get("uid")', '(Integer) ((Map<String, Object>) m.get("job")).get("slots")')
    assert bound(reader, JSON, use=use) == ("counts", 3)
