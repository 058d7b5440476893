"""Writes the parts of ``docs/`` that come out of the code, and runs the commands that its pages show.

usage: python scripts/generate_docs.py [--check]

Whole pages: ``rules.md``, ``configuration.md``, ``commands.md``; and the schemas of the configuration files.
In every page the blocks marked ``console`` are
sessions: lines that begin with ``$`` are run, in order, in a fresh scratch repository of ``examples/orders`` (or of the
example or in the folder that a comment of it names: ``<!-- example: NAME -->``, ``<!-- console: FOLDER -->``), and
what they print replaces what stood there.
``--check`` writes nothing and exits with 1 when something is out of date.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import IO

TOP = Path(__file__).resolve().parents[1]
DOCS = TOP / "docs"
sys.path.insert(0, str(TOP))
sys.path.insert(0, str(TOP / "examples"))

from make_repository import make_repository  # noqa: E402
from schemas import catalog, mapping_schema, settings_schema, text_of  # noqa: E402

import checker.commands.check  # noqa: E402
import checker.commands.gate  # noqa: E402
import checker.engines.choice  # noqa: E402, F401 - commands are run in children of this process, which import it anew
from checker import __version__  # noqa: E402
from checker import settings as configuration  # noqa: E402
from checker.cli import run  # noqa: E402
from checker.commands.app import COMMANDS  # noqa: E402
from checker.rules.registry import SHARED, all_rules, gate_rules  # noqa: E402

SHELL = frozenset("|&;<>()$`*?\n")
"""A command with none of these needs no shell."""
WRITTEN = "<!-- Written by scripts/generate_docs.py: change the code, not this page. -->"
KEYS = {
    "flink": ('"1.20"', "Flink version whose rules apply, where the build files of a pipeline don't say it."),
    "parallelism": ("4", "What the deployment passes with `-p` or `parallelism.default`."),
    "max_parallelism": ("128", "What the deployment sets as `pipeline.max-parallelism`."),
    "args": ('["--env", "prod"]', "Program arguments of every pipeline that has none of its own."),
    "values": ('{ "orders.topic" = "orders" }', "Values of configuration keys that programs read, for every pipeline."),
    "pipeline_seconds": (
        "120",
        "Processor time that reading one pipeline may take; beyond it the pipeline is undecided. A change's own value "
        "holds from the next change on.",
    ),
    "pipeline_megabytes": ("4096", "Memory that reading one pipeline may take, in the same way."),
    "fail_on": (
        '"warning"',
        "The lowest severity that makes `check` exit with 1: `error`, `warning`, `info` or `never`.",
    ),
    "discover": ("true", "Whether pipelines are looked for. When false, only those under `[[pipeline]]` are checked."),
    "exclude": ('["src/test/*"]', "Paths in which no pipelines are looked for (globs)."),
    "mapping": ('"savepoint-mapping.toml"', "A file that says which operator became which. That name is the default."),
    "assume": (
        '["defaults"]',
        "What is assumed: with `defaults` unknown arguments and environment variables are taken as not given, and the "
        "default parallelism as 1. Reports state each assumption.",
    ),
    "unset": ('["LOCAL_MODE"]', "Arguments, environment variables and system properties that are not given."),
    "deployments": ("true", "Whether manifests and start commands are looked for. See [deployments](deployments.md)."),
    "rendered": (
        '["build/manifests/*.yaml"]',
        "Globs of the manifests that charts, the CDK or Terraform are rendered to, in each revision. "
        "See [rendered manifests](deployments.md#rendered-manifests).",
    ),
    "deployment": (None, "Deployments that can't be found: see below."),
    "pipeline": (None, "Pipelines by name: see below."),
    "suppress": (None, "Findings that are accepted: see below."),
    "rules": ('{ "uid-missing" = "off" }', "Severities of rules: `error`, `warning`, `info` or `off`."),
}
PIPELINE_KEYS = {
    "name": ('"orders"', "Required. The name in reports, and what `--pipeline` selects."),
    "extract": (
        '"auto"',
        "How it is read: `auto` (default: the best at hand), `document`, `java`, `python`, `sql` or `flink`: "
        "see [extractors](extractors.md).",
    ),
    "main": ('"com.acme.OrdersJob"', "The main class, or the path of a PyFlink script."),
    "file": ('"jobs/orders.topology.yaml"', "The topology document, compiled plan or SQL script."),
    "files": ('["ddl.sql", "job.sql"]', "SQL scripts that are one pipeline, in order."),
    "args": ('["--env", "prod"]', "Program arguments; `[]` says that there are none, also where `values` are given."),
    "values": (
        '{ "orders.topic" = "orders" }',
        "Values of configuration keys that the program reads. What goes through the arguments itself, not by name, is "
        "undecided without `args`.",
    ),
    "parallelism": ("4", "Default parallelism of its deployment."),
    "max_parallelism": ("128", "Its deployment's `pipeline.max-parallelism`."),
    "flink": ('"1.20"', "Its Flink version; wins over the build files."),
    "build": ('"mvn -q -DskipTests package"', "The command that builds it, for `--allow-exec`."),
    "jars": (
        '["target/orders.jar"]',
        "What is on the class path when it is run: of the build, or on disk (`{commit}` stands for the revision).",
    ),
    "unset": ('["LOCAL_MODE"]', "Arguments, environment variables and system properties that it is not given."),
}
DEPLOYMENT_KEYS = {
    "pipeline": ('"OrdersJob"', "Required. What is deployed: a pipeline's name, or a glob of names."),
    "environment": ('"prod"', "Where. Each environment that differs is judged; one found under this name gives way."),
    "args": ('["--topic", "orders"]', "All of the program's arguments; `[]` for none."),
    "env": ('{ REGION = "eu" }', "Environment variables of the process that builds the job graph."),
    "unset": ('["LOCAL_MODE"]', "Arguments and environment variables that are not given there."),
    "parallelism": ("8", "What `-p`, `job.parallelism` or `parallelism.default` is there."),
    "max_parallelism": ("256", "`pipeline.max-parallelism` there."),
    "flink": ('"1.20"', "The Flink version there."),
    "configuration": ('{ "pipeline.operator-chaining" = "false" }', "Flink's own configuration there."),
    "upgrade_mode": ('"savepoint"', "`savepoint`, `last-state` or `stateless`, as the Kubernetes operator knows them."),
    "allow_non_restored_state": ("false", "Whether starts there allow state that no operator claims."),
}
SUPPRESS_KEYS = {
    "rule": ('"uid-missing"', "Required. The rule's name (globs allowed)."),
    "operator": ('"debug-*"', "Only for operators of this name, uid or handle (globs allowed); also a list."),
    "pipeline": ('"orders"', "Only for this pipeline (globs allowed)."),
    "reason": ('"stateless tap, removed in Q1"', "Required. Why it may stay: it is shown in every report."),
    "expires": ("2027-03-31", "The last day on which it holds."),
}
_FIELDS = {"pipeline": "pipelines", "suppress": "suppressions", "rules": "severities"}


def main() -> int:
    """The exit code."""
    check = "--check" in sys.argv[1:]
    stale = []
    pages = {"rules.md": rules_page(), "configuration.md": configuration_page(), "commands.md": commands_page()}
    for path in sorted(DOCS.glob("*.md")):
        if path.name not in pages:
            pages[path.name] = with_sessions(path.read_text(encoding="utf-8"), path.name)
    for name, text in pages.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"docs/{name}")
            if not check:
                path.write_text(text, encoding="utf-8", newline="\n")
    for path, text in schemas().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(TOP).as_posix())
            if not check:
                path.write_text(text, encoding="utf-8", newline="\n")
    for name in stale:
        print(f"{'out of date' if check else 'written'}: {name}")
    return 1 if check and stale else 0


def schemas() -> dict[Path, str]:
    """The schemas of the configuration files, and the catalog of all, by where they are."""
    tables = {key: globals()[f"{key.upper()}_KEYS"] for key, (example, _) in KEYS.items() if example is None}
    folder = TOP / "checker" / "schemas"
    return {
        folder / "savepoint-checker.schema.json": text_of(settings_schema(KEYS, tables)),
        folder / "savepoint-mapping.schema.json": text_of(mapping_schema()),
        folder / "catalog.json": text_of(catalog(__version__)),
    }


def rules_page() -> str:
    """The catalogue: a table a category, each rule linked to its page."""
    lines = [WRITTEN, "# Rules", ""]
    lines += [
        "What `check` looks for. `savepoint-checker explain RULE` shows a page; severities are set under `[rules]` of"
    ]
    lines += ["the [configuration](configuration.md).", ""]
    for category in sorted({rule.category for rule in all_rules()}):
        lines += [
            f"## {category.value.capitalize()}",
            "",
            "| rule | severity | what it sees | since |",
            "| --- | --- | --- | --- |",
        ]
        for rule in all_rules():
            if rule.category is category:
                page = f"../checker/rules/check/{rule.slug.replace('-', '_')}.md"
                lines.append(f"| [`{rule.slug}`]({page}) | {rule.severity} | {rule.title} | {rule.since} |")
        lines.append("")
    for refusal, heading in ((True, "Gate: what Flink refuses"), (False, "Gate: what Flink does without a message")):
        lines += [f"## {heading}", "", "| rule | what it sees |", "| --- | --- |"]
        for gate_rule in gate_rules():
            if gate_rule.refusal is refusal:
                folder = "check" if gate_rule.slug in SHARED else "gate"
                page = f"../checker/rules/{folder}/{gate_rule.slug.replace('-', '_')}.md"
                lines.append(f"| [`{gate_rule.slug}`]({page}) | {gate_rule.title} |")
        lines.append("")
    return "\n".join(lines)


def configuration_page() -> str:
    """Every key the reader of settings knows, with an example that it reads."""
    for known, described in (
        (configuration._TOP, KEYS), (configuration._PIPELINE, PIPELINE_KEYS),
        (configuration._DEPLOYMENT, DEPLOYMENT_KEYS), (configuration._SUPPRESS, SUPPRESS_KEYS),
    ):  # fmt: skip
        if set(known) != set(described):
            raise SystemExit(f"scripts/generate_docs.py: describe the keys {sorted(set(known) ^ set(described))}")
    text = (DOCS / "configuration.in").read_text(encoding="utf-8")
    text = text.replace("{{ top }}", _keys(KEYS, defaults=True))
    text = text.replace("{{ pipeline }}", _keys(PIPELINE_KEYS)).replace("{{ deployment }}", _keys(DEPLOYMENT_KEYS))
    text = text.replace("{{ suppress }}", _keys(SUPPRESS_KEYS))
    return f"{WRITTEN}\n{text}"


def _keys(described: dict[str, tuple[str | None, str]], *, defaults: bool = False) -> str:
    default_of = {field.name: field.default for field in fields(configuration.Settings)}
    head = ["key", "default", "example", "meaning"] if defaults else ["key", "example", "meaning"]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for key, (example, meaning) in described.items():
        cells = [f"`{key}`"]
        if defaults:
            value = default_of.get(_FIELDS.get(key, key))
            cells.append(f"`{_toml(value)}`" if isinstance(value, (bool, str, int)) else "none")
        cells += [f"`{example}`" if example else "", meaning]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def commands_page() -> str:
    """The help of every command."""
    lines = [WRITTEN, "# Commands", ""]
    for command in COMMANDS:
        lines += [f"## {command}", "", "```text", _run(f"savepoint-checker {command} --help", DOCS).rstrip(), "```", ""]
    return "\n".join(lines)


def with_sessions(text: str, name: str) -> str:
    """A page with its console blocks run again."""
    if "```console" not in text:
        return text
    named = re.search(r"<!-- console: (\S+) -->", text)
    example = re.search(r"<!-- example: (\S+) -->", text)
    with tempfile.TemporaryDirectory() as scratch:
        folder = TOP / named[1] if named else Path(scratch) / "orders"
        if not named:
            make_repository(folder, example[1] if example else "orders")
        return re.sub(
            r"(```console\n)(.*?)(```\n)", lambda m: m[1] + _session(m[2], folder, name) + m[3], text, flags=re.S
        )


def _session(block: str, folder: Path, page: str) -> str:
    out = ""
    for line in block.splitlines():
        if line.startswith("$ "):
            output = _run(line[2:], folder)
            if "defect:" in output:
                raise SystemExit(f"docs/{page}: {line}\n{output}")
            out += f"{line}\n{output}"
    return out


def _run(command: str, folder: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "COLUMNS", "FORCE_COLOR"))}
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        "COLUMNS": "100",
        "TERMINAL_WIDTH": "100",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",  # lines of both streams in the order in which they are written, as on a terminal
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.com"}
        env[f"GIT_{who}_DATE"] = "2026-01-09T09:00:00Z"
    with tempfile.TemporaryFile() as printed:
        first, _, rest = command.partition(" | ")
        words = shlex.split(first)
        if words[0] != "savepoint-checker" or not SHELL.isdisjoint(first):
            subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=printed, stderr=printed, check=False)
        elif not rest:
            _forked(words[1:], folder, env, printed, printed)
        else:
            with tempfile.TemporaryFile() as piped:
                _forked(words[1:], folder, env, piped, printed)
                piped.seek(0)
                shell = ["bash", "-c", rest]
                subprocess.run(shell, cwd=folder, env=env, stdin=piped, stdout=printed, stderr=printed, check=False)
        printed.seek(0)
        return re.sub(r"[ \t]+$", "", printed.read().decode(), flags=re.M)


def _forked(arguments: list[str], folder: Path, env: dict[str, str], out: IO[bytes], err: IO[bytes]) -> None:
    """The command in a child of this process: importing what a command needs takes longer than most of them do."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["savepoint-checker", *arguments]
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        run(arguments)
        sys.stdout.flush()
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
