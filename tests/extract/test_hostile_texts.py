"""YAML that stands for more than it says."""

import pytest
import yaml

from checker.extract.changed_files.entries import build_entries, deployment_entries
from checker.extract.deployments.overlays import documents
from checker.extract.texts import MOST_VALUES, yaml_documents

BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
SELF = "a: &a\n  b: *a\n"


@pytest.mark.parametrize(
    "text",
    [BOMB, SELF, "[" * 100_000, "- " * 50_000 + "x", "{a: " * 1000 + "1" + "}" * 1000],
    ids=["bomb", "self", "unclosed", "lists", "maps"],
)
def test_what_stands_for_too_much_is_refused(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        yaml_documents(text)
    assert documents(text) == ()
    assert deployment_entries(text.encode())


def test_a_pom_without_end_is_its_lines() -> None:
    text = "<project><parent>" + "<a>" * 60_000 + "</a>" * 60_000 + "</parent></project>"
    assert len(build_entries("pom.xml", text.encode())) == 1


def test_aliases_are_followed() -> None:
    assert yaml_documents("a: &a {p: 1}\nb: *a\n---\n---\nc: 2\n") == ({"a": {"p": 1}, "b": {"p": 1}}, {"c": 2})


def test_a_long_text_is_read() -> None:
    text = "\n".join(f"- {n}" for n in range(MOST_VALUES // 2))
    assert len(yaml_documents(text)[0]) == MOST_VALUES // 2
