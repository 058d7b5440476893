"""The documentation: up to date with the code, its links lead somewhere, its commands exist."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from checker.commands.app import COMMANDS, app
from checker.compare.revisions.mapping import read_mapping
from checker.extract.documents.reader import iterate_documents
from checker.extract.runtime.extracting import BUILD_ENVIRONMENT
from checker.model.sources import MemoryFiles
from checker.processes.starting import LOCALE
from checker.rules.registry import all_rules
from checker.settings import FILE, read_settings
from checker.workflows.audit.planning import _KEYS as FLEET_KEYS

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([*(TOP / "docs").glob("*.md"), TOP / "README.md"])
IDS = [page.name for page in PAGES]
CITED = {
    "github.com", "issues.apache.org", "cwiki.apache.org", "mail-archive.com", "ververica.com", "docs.aws.amazon.com",
    "alibabacloud.com", "deprecated-apache-flink-user-mailing-list-archive.369.s1.nabble.com",
}  # fmt: skip
"""Hosts that pages may link to."""


def blocks(page: Path, *languages: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [body for language, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M) if language in languages]


def anchors(page: Path) -> set[str]:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.+)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.timeout(900)
def test_generated_pages_and_sessions_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "scripts" / "generate_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nrun: python scripts/generate_docs.py"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("https://", "http://")):
            host = target.split("/")[2]
            assert host.removeprefix("www.").removeprefix("go.") in CITED, target
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{page.name}: {target}"
        assert path.is_relative_to(TOP)
        if anchor:
            assert anchor in anchors(path), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_lists_begin_after_an_empty_line(page: Path) -> None:
    """The site's Markdown takes them for text otherwise."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    assert re.findall(r"^(?!\s|[-*] |\d+\. ).*\S\n(?:[-*]|\d+\.) .*$", prose, re.M) == []


def test_every_page_is_in_the_index() -> None:
    index = (TOP / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        if page.name != "README.md":
            assert f"({page.name})" in index, page.name


def commands(page: Path) -> list[list[str]]:
    found = []
    for block in blocks(page, "sh", "console", ""):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\||&&|;", line.removeprefix("$ ")):
                words = shlex.split(part, comments=True) if part.strip().startswith("savepoint-checker") else []
                if words:
                    found.append(words[1:])
    return found


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_and_options_exist(page: Path) -> None:
    group: Any = typer.main.get_command(app)
    for words in commands(page):
        if words[0].startswith("-"):
            continue
        name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
        assert name in COMMANDS, words
        command = group.get_command(None, name)
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        for word in words[1:]:
            if word.startswith("-") and word != "-":
                assert word.split("=")[0] in {*known, "-h", "--help"}, words


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_inline_commands_exist(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for command in re.findall(r"`savepoint-checker (\w[\w-]*)", prose):
        assert command in COMMANDS, command


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_examples_are_read_by_what_reads_them(page: Path) -> None:
    for block in blocks(page, "toml"):
        if "[[operator]]" in block:
            assert read_mapping(block)
        elif "[[repository]]" in block:
            for entry in tomllib.loads(block)["repository"]:
                assert set(entry) <= set(FLEET_KEYS)
        else:
            assert tomllib.loads(block)
            read_settings(MemoryFiles({FILE: block.encode()}))
    for block in blocks(page, "yaml"):
        loaded = yaml.safe_load(block)
        if isinstance(loaded, dict) and "topology" in loaded:
            assert list(iterate_documents(block, "x.topology.yaml"))
        if isinstance(loaded, dict) and "repos" in loaded:
            ours = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
            assert {h["id"] for h in loaded["repos"][0]["hooks"]} <= {h["id"] for h in ours}


def test_the_inputs_of_the_action_are_described() -> None:
    page = (TOP / "docs" / "how-to-pull-request.md").read_text(encoding="utf-8")
    action = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
    for name in [*action["inputs"], *action["outputs"]]:
        if name not in ("token",):
            assert f"`{name}`" in page, name


def test_every_rule_that_is_named_exists() -> None:
    slugs = {rule.slug for rule in all_rules()}
    for page in PAGES:
        for slug in re.findall(r"checker/rules/check/([a-z_]+)\.md", page.read_text(encoding="utf-8")):
            assert slug.replace("_", "-") in slugs, f"{page.name}: {slug}"


def test_what_builds_and_programs_see_is_listed() -> None:
    page = (TOP / "docs" / "extractors.md").read_text(encoding="utf-8")
    for name in {*BUILD_ENVIRONMENT, *LOCALE}:
        assert f"`{name.upper()}`" in page, name


def test_the_readme_shows_what_the_tutorial_prints() -> None:
    """The tutorial's sessions are run; the README leaves lines out and marks with dots where one goes on."""
    [session] = [block for block in blocks(TOP / "README.md", "") if block.startswith("$ savepoint-checker check")]
    printed = " ".join("\n".join(blocks(TOP / "docs" / "tutorial.md", "console")).split())
    for line in session.splitlines()[1:]:
        assert all(" ".join(part.split()) in printed for part in line.split("...")), line
