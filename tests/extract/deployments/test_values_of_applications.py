"""Parameters of CloudFormation templates are no arguments of a program."""

from pathlib import Path

from tests.edits.pairs import DATA, checked, files_below


def test_a_parameter_of_a_template_is_no_argument_of_ours(tmp_path: Path) -> None:
    """``--arg`` gives values to what the program asks for, not to what fills a deployment in."""
    files = files_below(DATA / "pairs" / "deployments" / "templates-of-applications" / "files")
    command = b"#!/bin/sh\naws cloudformation deploy --parameter-overrides Slots=%d\n"
    base, head = ({**files, "deploy.sh": command % slots} for slots in (4, 1))
    (pipeline,) = checked(base, head, tmp_path)["pipelines"]
    assert [edit["settled_by"] for edit in pipeline["account"]["edits"]] == ["[[deployment]]"]
