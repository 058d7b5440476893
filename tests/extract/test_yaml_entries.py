"""Keys of YAML files with their values and lines."""

import pytest

from checker.extract.changed_files.entries import deployment_entries

DOCUMENTS = b"""\
# default: 9
a: 1
---
base: &base {x: 1}
spec:
  <<: *base
  flinkConfiguration:
    parallelism.default: "2"
  args:
    - default
    - b
  env: [{name: A}, {name: B}]
data:
  flink-conf.yaml: |
    q: 1
    default: 2
  text: "a: 1\\nb: 2"
"""


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("a", "1", 2),
        ("1.base.x", "1", 4),
        ("1.spec.x", "1", 4),
        ("1.spec.flinkConfiguration.parallelism.default", "2", 8),
        ("1.spec.args", "['default', 'b']", 9),
        ("1.spec.env.1.name", "B", 12),
        ("1.data.flink-conf.yaml.default", "2", 16),
        ("1.data.text.a", "1", 17),
    ],
)
def test_an_entry_stands_where_its_key_does(key: str, value: str, line: int) -> None:
    (entry,) = [entry for entry in deployment_entries(DOCUMENTS) if entry.key == key]
    assert (entry.value, entry.line) == (value, line)


def test_what_is_no_yaml_is_its_lines() -> None:
    assert [(e.key, e.line) for e in deployment_entries(b"a: {{ x }}: b\n# c\nd: [\n")] == [
        ("a: {{ x }}: b", 1),
        ("d: [", 3),
    ]
