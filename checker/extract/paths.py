"""What a file is to a program, by its path; what the path of a Java file says."""

import re
from collections.abc import Iterable
from functools import lru_cache

from checker.model.changed_files import FileKind

_IGNORED = re.compile(
    r"(^|/)(\.github|\.gitlab|\.circleci|\.idea|\.vscode|\.mvn/wrapper|gradle/wrapper|docs?|node_modules|"
    r"src/(test|testFixtures|integrationTest|it|jmh))/|(^|/)(tests?|__tests__)/|"
    r"(^|/)(LICENSE|NOTICE|README|CHANGELOG|CODEOWNERS|Makefile|Dockerfile|Jenkinsfile|mvnw|gradlew|\.git\w*|\.editorconfig|"
    r"\.travis\.yml|\.pre-commit-config\.yaml|\.asf\.yaml)[^/]*$|"
    r"\.(md|rst|adoc|png|jpe?g|gif|svg|ico|pdf|html?|css|scss|tsx?|jsx?|ipynb|sh|bat|cmd|ps1|lock|iml|drawio|puml|webp|mp4|"
    r"woff2?|ttf|vue|tf|tfvars)$",
    re.IGNORECASE,
)
_OTHER_PROJECT = re.compile(
    r"(?:^|/)(package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|tsconfig[\w.]*\.json|angular\.json|deno\.jsonc?|go\.mod|"
    r"Cargo\.(?:toml|lock)|composer\.(?:json|lock)|Gemfile(?:\.lock)?|[\w.-]+\.(?:csproj|sln)|pubspec\.yaml)$"
)
"""What package managers and compilers of other languages keep in the folder of a project."""
_BUILD = re.compile(
    r"(^|/)(pom\.xml|[^/]*\.gradle(\.kts)?|gradle\.properties|[^/]*\.versions\.toml|build\.sbt|lombok\.config|"
    r"(?:buildSrc|build-logic)/.+\.(?:kt|groovy)|[^/]*\.lockfile|\.mvn/maven\.config|(?:BUILD|MODULE|WORKSPACE)(?:\.bazel)?|maven_install\.json|"
    r"(?:requirements|constraints)[^/]*\.(?:txt|in)|setup\.(py|cfg)|pyproject\.toml|(?:uv|poetry|pdm|Pipfile)\.lock|Pipfile|environment\.ya?ml)$"
)
_LOGGING = re.compile(r"(^|/)(log4j2?|logback|logging|simplelogger|commons-logging)[^/]*\.(xml|properties|ya?ml|json)$")
_SCHEMA = re.compile(r"\.(avsc|avdl|avpr|proto|thrift|xsd|fbs)$")
_OF_THE_JVM = re.compile(r"\.(kt|scala|groovy)$")
_SOURCE = re.compile(r"\.(kt|kts|scala|groovy|java|py|go|rs|c|cc|cpp|h|cs|rb|php)$")
_FLINK_CONFIGURATION = re.compile(r"(^|/)(flink-conf|config)\.ya?ml$")
_MANIFEST = re.compile(r"\.(?:ya?ml|json)$")


def other_projects(paths: Iterable[str]) -> frozenset[str]:
    """Folders, each with a slash at its end, of projects in languages that no program of Flink's is written in."""
    found = ((path, _OTHER_PROJECT.search(path)) for path in paths)
    return frozenset(path[: name.start(1)] for path, name in found if name is not None and name.start(1) > 0)


def is_build(path: str) -> bool:
    """Whether a file tells how a project is built and of which libraries."""
    return _BUILD.search(path) is not None


def kind_of(path: str, code: str) -> FileKind | None:
    """What a file is, None where no program depends on it. ``code`` is the ending of the pipeline's own source."""
    if is_build(path):
        return FileKind.BUILD
    of_program = "src/main/" in path and _SOURCE.search(path)  # a package may be called as folders of documentation are
    if not of_program and (_IGNORED.search(path) or _OTHER_PROJECT.search(path)):
        return None
    if path.endswith(code):
        return FileKind.CODE
    if _SOURCE.search(path):
        return FileKind.FOREIGN if code == ".java" and _OF_THE_JVM.search(path) else None
    if "META-INF/services/" in path:
        return FileKind.SERVICE
    for pattern, kind in (
        (_LOGGING, FileKind.LOGGING),
        (_SCHEMA, FileKind.SCHEMA),
        (_FLINK_CONFIGURATION, FileKind.DEPLOYMENT),
        (_MANIFEST, FileKind.DEPLOYMENT),
    ):
        if pattern.search(path):
            return kind
    return FileKind.RESOURCE


_KINDS = "(integration|functional|acceptance|component|system|unit|smoke|e2e)-?tests?"
_TEST_FOLDERS = re.compile(rf"(^|/)(src/(test\w*|\w+Tests?|{_KINDS}|it|jmh)|test|tests)/")


@lru_cache(maxsize=100_000)
def in_tests(path: str) -> bool:
    """Whether the path is one of a test source folder, which no package below ``src/main`` is."""
    return _TEST_FOLDERS.search(path.partition("src/main/")[0]) is not None


def module_of(path: str) -> str:
    """The folder of the build module that a source file belongs to: what stands before ``src/``."""
    if path.startswith("src/"):
        return ""
    return path.rpartition("/src/")[0] if "/src/" in path else path.rpartition("/")[0]


def imported_as(path: str) -> str:
    """The last part of the name by which Python imports a file."""
    return path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]


def shared_parts(file: str, path: str) -> int:
    """How many parts two paths have in common, counted from the file's name."""
    count = 0
    for ours, theirs in zip(reversed(file.split("/")), reversed(path.split("/")), strict=False):
        if ours != theirs:
            break
        count += 1
    return count
