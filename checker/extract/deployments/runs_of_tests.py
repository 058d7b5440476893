"""What starts jobs to test or to measure them: their state is of no use afterwards."""

from __future__ import annotations

import posixpath
import re

_OF_CI = re.compile(
    r"\.(?:github/workflows|circleci|buildkite)/[^/]+\.ya?ml|"
    r"(?:.*/)?(?:\.gitlab-ci|\.travis|\.drone|(?:azure|bitbucket)-pipelines[^/]*|(?:buildspec|cloudbuild)[^/]*)\.ya?ml"
)
_OF_BENCHMARKS = re.compile(r"(?:^|[/_.-])(?:bench|(?:micro)?benchmark(?:s|ing)?)(?=[/_.-])")
_DEPLOYS = re.compile(r"deploy|release|publish|prod", re.IGNORECASE)
_TESTS = re.compile(r"(?<![a-z])(?:tests?|e2e|integration|smoke|it|verify|pr)(?![a-z])", re.IGNORECASE)
_OWN_CLUSTER = re.compile(
    r"\bstart-cluster\.sh\b|\b(?:docker[- ]compose|podman[- ]compose)\b[^\n]{0,500}\bup\b|"
    r"\b(?:kind|k3d)\b[^\n]{0,500}\bcreate\b|"
    r"\bminikube\b[^\n]{0,500}\bstart\b"
)


def runs_tests(path: str, text: str) -> bool:
    """Whether a workflow of CI starts jobs to test them: on a cluster of its own, for pull requests, or by its name.

    What measures jobs is known by its own name or that of its folder.
    """
    if _OF_BENCHMARKS.search(path):
        return True
    if _OF_CI.fullmatch(path) is None or _DEPLOYS.search(posixpath.basename(path)):
        return False
    named = _TESTS.search(posixpath.basename(path)) is not None
    return named or "pull_request" in text or _OWN_CLUSTER.search(text) is not None
