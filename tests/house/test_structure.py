"""How the code is laid out: no circles between files, no families by prefix, every package says what it is for."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {p.parent.relative_to(ROOT).as_posix(): p.parent for p in sorted((ROOT / "checker").rglob("__init__.py"))}
MOST_OF_A_PREFIX = 2
"""More files of one folder that share the word before their first underscore are a folder of their own."""
MOST_LINES = 400
"""A longer file holds more than one idea."""
LISTED_BY_NAME = {"checker/rules/check"}
"""One file per rule, called like the rule: the slug is the file's name."""


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The strongly connected components with more than one file (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if imported not in order:
                visit(imported)
                low[module] = min(low[module], low[imported])
            elif imported in stack:
                low[module] = min(low[module], order[imported])
        if low[module] == order[module]:
            place = stack.index(module)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for module in sorted(graph.modules):
        if module not in order:
            visit(module)
    return found


def test_no_circles_between_files() -> None:
    assert circles(grimp.build_graph("checker", cache_dir=None)) == []


def test_no_family_of_files_by_prefix() -> None:
    names = {name: [p.stem for p in package.glob("*.py")] for name, package in PACKAGES.items()}
    prefixes = Counter(
        (name, stem.partition("_")[0]) for name in names for stem in names[name] if "_" in stem.strip("_")
    )
    families = {family: count for family, count in prefixes.items() if count > MOST_OF_A_PREFIX}
    assert {family: count for family, count in families.items() if family[0] not in LISTED_BY_NAME} == {}


def test_every_package_says_what_comes_in_what_goes_out_and_who_calls_it() -> None:
    texts = {name: ast.get_docstring(ast.parse((p / "__init__.py").read_text())) or "" for name, p in PACKAGES.items()}
    assert [name for name, text in texts.items() if len(text) <= 60] == []
    parts = {name: all(part in text for part in ("In: ", "Out", "alled ")) for name, text in texts.items()}
    assert [name for name, complete in parts.items() if not complete and name not in NEITHER_IN_NOR_OUT] == []


NEITHER_IN_NOR_OUT = {"checker", "checker/model", "checker/rules/gate"}
"""The whole, the records that all packages share, and a folder of pages."""
MOST_PARAMETERS = 8
"""What belongs together is a record."""


def test_no_function_takes_more_than_eight_parameters() -> None:
    functions = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": len(
            [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        )
        for path in sorted((ROOT / "checker").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: count for name, count in functions.items() if count > MOST_PARAMETERS} == {}


VAGUE_NAMES = {"one", "other", "held", "said", "told"}
"""Names that say nothing of what they stand for: `bean`, `operand`, `content` tell a reader what is in them."""


def bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names of variables, parameters, fields, functions and classes; ``__eq__`` and the like may take ``other``."""
    protocol = {
        parameter for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("__")
        for parameter in node.args.args
    }  # fmt: skip
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.arg(arg=name) if node not in protocol:
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.MatchAs(name=str(name)):
                yield name, node.lineno


@pytest.mark.parametrize("folder", ["checker", "tests", "scripts", "benchmarks", "examples"])
def test_names_say_what_they_stand_for(folder: str) -> None:
    vague = [
        f"{path.relative_to(ROOT)}:{line}: '{name}' could be anything: name it after what it is (bean, operand, key)"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if ROOT / "tests" / "data" not in path.parents
        for name, line in bound_names(ast.parse(path.read_text()))
        if name.strip("_") in VAGUE_NAMES
    ]
    assert not vague, "\n".join(vague)


def test_no_file_is_too_long() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in (ROOT / "checker").rglob("*.py")}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES}


SHOWN = {"findings.py", "continuous_integration.py", "reading.py"}
"""Files whose digests only tell people things apart."""


def test_nobody_finds_another_text_of_a_digest_by_trying() -> None:
    """Values, names and answers of two revisions are compared by digests, and the head's author chooses his."""
    cut = re.compile(r"digest\(\)\[:(\d+)\]|digest_size=(\d+)")
    for path in (ROOT / "checker").rglob("*.py"):
        for digits, size in cut.findall(path.read_text()) if path.name not in SHOWN else ():
            assert int(digits or 2 * int(size)) >= 16, path
