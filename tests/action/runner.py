"""Runs the action's steps as a runner does: plain shell, GitHub's variables, an event payload, an API to talk to."""

import json
import re
import subprocess
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.hooks.conftest import TOP, Scratch, clean_environment

DATA = TOP / "tests" / "data" / "action"


class Api:
    """The part of GitHub's API that the action uses: the comments of one pull request, and those on its lines."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.on_lines: list[dict[str, Any]] = []
        self.shown_lines: range | None = None
        """The lines that the pull request shows, None for all of them."""
        self.asked: list[str] = []
        self.refuse: int | None = None
        api = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self, code: int, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def body(self) -> Any:
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                api.asked.append(f"GET {self.path}")
                page = int(self.path.split("&page=")[1])
                comments = api.on_lines if "/pulls/" in self.path else api.comments
                self.answer(200, comments[(page - 1) * 100 : page * 100])

            def do_POST(self) -> None:
                api.asked.append(f"POST {self.path}")
                if api.refuse is not None:
                    self.answer(api.refuse, {"message": "Resource not accessible by integration"})
                    return
                body, comments = self.body(), api.on_lines if "/pulls/" in self.path else api.comments
                if api.shown_lines is not None and body.get("line", 0) not in api.shown_lines:
                    self.answer(422, {"message": "pull_request_review_thread.line must be part of the diff"})
                    return
                comments.append({"id": 1000 + len(comments), "user": {"login": "github-actions[bot]"}, **body})
                self.answer(201, comments[-1])

            def do_PATCH(self) -> None:
                api.asked.append(f"PATCH {self.path}")
                number = int(self.path.rsplit("/", 1)[1])
                comment = next(c for c in api.comments if c["id"] == number)
                comment.update(self.body())
                self.answer(200, comment)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"


@dataclass
class Outcome:
    """What a run of the action left behind."""

    code: int
    log: str
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    summary: str = ""


def event(name: str, **commits: str) -> dict[str, Any]:
    """A recorded payload with the commits of a scratch repository in it."""
    text = (DATA / f"{name}.json").read_text(encoding="utf-8")
    for placeholder, commit in commits.items():
        text = text.replace(placeholder, commit)
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def run_action(
    scratch: Scratch, folder: Path, payload: dict[str, Any], api: Api, *, name: str, ref: str = "refs/heads/main",
    **inputs: str,
) -> Outcome:  # fmt: skip
    """All steps of ``action.yml`` but the installation, in its order, with its inputs and conditions."""
    action = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
    given = {key: str(about.get("default", "")) for key, about in action["inputs"].items()} | {
        key.replace("_", "-"): value for key, value in inputs.items()
    }
    given["token"] = "t0ken"
    folder.mkdir(parents=True, exist_ok=True)
    files = {key: folder / key for key in ("event.json", "summary.md", "path")}
    files["event.json"].write_text(json.dumps(payload), encoding="utf-8")
    files["summary.md"].write_text("", encoding="utf-8")
    outcome = Outcome(0, "")
    for step in action["runs"]["steps"]:
        condition = re.fullmatch(r"inputs\.([\w-]+) == 'true'", step.get("if", ""))
        if step["id"] in ("install", "cache") or (condition and given[condition[1]] != "true"):
            continue
        output = folder / f"output-{step['id']}"
        output.write_text("", encoding="utf-8")
        env = clean_environment(
            CI="true", GITHUB_ACTIONS="true", GITHUB_ACTION_PATH=str(TOP), GITHUB_EVENT_NAME=name, GITHUB_REF=ref,
            GITHUB_EVENT_PATH=str(files["event.json"]), GITHUB_STEP_SUMMARY=str(files["summary.md"]),
            GITHUB_OUTPUT=str(output), GITHUB_PATH=str(files["path"]), GITHUB_REPOSITORY="acme/orders",
            GITHUB_API_URL=api.url, GITHUB_SERVER_URL="https://github.com", RUNNER_TEMP=str(folder / "temp"),
        )  # fmt: skip
        env |= {key: _expanded(str(value), given, outcome.outputs) for key, value in step.get("env", {}).items()}
        where = scratch.top / _expanded(str(step.get("working-directory", ".")), given, outcome.outputs)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        outcome.log += done.stdout
        lines = output.read_text(encoding="utf-8").splitlines()
        outcome.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        if done.returncode:
            outcome.code = done.returncode
            break
    outcome.summary = files["summary.md"].read_text(encoding="utf-8")
    return outcome


def _expanded(text: str, inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> str:
    if not text.startswith("${{"):
        return text
    expression = text.removeprefix("${{").removesuffix("}}").strip()
    if expression.startswith("inputs."):
        return inputs[expression.removeprefix("inputs.")]
    step, _, name = expression.removeprefix("steps.").partition(".outputs.")
    return outputs.get(step, {}).get(name, "")
