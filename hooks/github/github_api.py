"""GitHub's REST API, with the Python of the runner and nothing installed."""

import json
import os
import urllib.request
from typing import Any


def call(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """What GitHub's API answers. Raises urllib.error.HTTPError, URLError, TimeoutError."""
    request = urllib.request.Request(
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['INPUT_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")
