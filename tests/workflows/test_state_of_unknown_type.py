"""Edits beside state whose type nobody can read: they count where such state was there before."""

from dataclasses import replace

import pytest

from checker.compare.account.builds import build_edits
from checker.extract.changed_files.difference import changed_files
from checker.extract.changed_files.entries import build_entries
from checker.model.account import BuildUse, Explanation
from checker.model.changed_files import ChangedFile, Entry, FileKind
from checker.model.sources import MemoryFiles

USE = BuildUse(
    folders=frozenset({"jobs/src/main/java/"}), libraries=frozenset({"com.acme.avro.Order"}), connectors=frozenset(),
    elements_read=True, polymorphic=False, versions_read=True, all_known=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "explanation"),
    [
        ("<relativePath>../pom.xml</relativePath>", Explanation.WITHOUT_EFFECT),
        ("<relativePath/>", Explanation.NOT_UNDERSTOOD),
    ],
)
def test_another_name_of_a_parent_in_the_repository_is_no_other_library(path: str, explanation: Explanation) -> None:
    def side(name: str) -> tuple[Entry, ...]:
        return (Entry(f"parent com.acme:{name}", f"<parent><artifactId>{name}</artifactId>{path}</parent>", 4),)

    file = ChangedFile(path="jobs/pom.xml", kind=FileKind.BUILD, base=side("jobs"), head=side("platform"))
    assert {edit.explanation for edit in build_edits(file, USE)} == {explanation}


@pytest.mark.parametrize(
    ("root", "path", "explanation"),
    [
        ("2", "", Explanation.WITHOUT_EFFECT),
        ("2", "<relativePath/>", Explanation.NOT_UNDERSTOOD),
        ("3", "", Explanation.NOT_UNDERSTOOD),
        (None, "", Explanation.NOT_UNDERSTOOD),
    ],
)
def test_a_parent_in_another_version_is_no_other_library_where_maven_finds_it_in_the_repository(
    root: str | None, path: str, explanation: Explanation
) -> None:
    def side(version: str, above: str | None) -> MemoryFiles:
        named = f"<groupId>com.acme</groupId><artifactId>all</artifactId><version>{version}</version>"
        parent = f"<parent>{named}{path}</parent>"
        files = {"jobs/pom.xml": f"<project>{parent}</project>".encode()}
        if above is not None:
            files["pom.xml"] = f"<project><artifactId>all</artifactId><version>{above}</version></project>".encode()
        return MemoryFiles(files)

    changed = changed_files(side("1", root and "1"), side("2", root), ".java")
    edits = [edit for file in changed if file.path == "jobs/pom.xml" for edit in build_edits(file, USE)]
    assert [edit.explanation for edit in edits] == [explanation]


AVRO = "<dependency><groupId>org.apache.avro</groupId><artifactId>avro</artifactId>{}</dependency>"


@pytest.mark.parametrize(
    ("before", "after", "explanations"),
    [
        ("", "<scope>test</scope>", {Explanation.WITHOUT_EFFECT, Explanation.NOT_UNDERSTOOD}),
        ("<scope>test</scope>", "", {Explanation.WITHOUT_EFFECT, Explanation.NOT_UNDERSTOOD}),
        ("<version>1</version><scope>test</scope>", "<version>2</version><scope>test</scope>",
         {Explanation.WITHOUT_EFFECT}),
        ("<scope>test</scope>", "<scope> test </scope>", {Explanation.WITHOUT_EFFECT}),
        ("<version>1</version>", "<version>2</version>", {Explanation.NOT_UNDERSTOOD}),
    ],
)  # fmt: skip
def test_a_library_that_only_tests_use_from_now_on_is_no_edit_of_tests(
    before: str, after: str, explanations: set[Explanation]
) -> None:
    base, head = (
        build_entries("pom.xml", f"<project>{AVRO.format(text)}</project>".encode()) for text in (before, after)
    )
    file = ChangedFile(path="jobs/pom.xml", kind=FileKind.BUILD, base=base, head=head)
    assert {edit.explanation for edit in build_edits(file, replace(USE, polymorphic=True))} == explanations
