"""Stores for tests: real servers of the protocols in this process, and sockets that misbehave."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import boto3
from gcp_storage_emulator.server import create_server
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

KEY, SECRET = "AKIATESTKEY000000001", "neverShown/secretOfTheTests0000000000000"
BUCKET = "flink-state"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a store was asked."""

    method: str
    path: str
    range: tuple[int, int] | None


@dataclass(slots=True)
class Store:
    """A server with one bucket. ``requests`` is what it was asked so far."""

    endpoint: str
    put: Callable[[str, bytes], None]
    requests: list[Asked] = field(default_factory=list)

    def put_folder(self, folder: Path, prefix: str) -> None:
        for file in folder.rglob("*"):
            if file.is_file():
                self.put(f"{prefix}/{file.relative_to(folder)}", file.read_bytes())

    def fetched(self, name: str) -> list[tuple[int, int]]:
        """The ranges of a file that were asked for, the second number behind the last byte."""
        return [r.range for r in self.requests if r.method == "GET" and r.path.endswith(name) and r.range is not None]


def _logging(app: Any, requests: list[Asked]) -> Any:
    def logged(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        asked = environ.get("HTTP_RANGE")
        first, _, last = (asked or "").removeprefix("bytes=").partition("-")
        span = (int(first), int(last) + 1) if asked else None
        requests.append(Asked(environ["REQUEST_METHOD"], environ["PATH_INFO"], span))
        answer: Iterable[bytes] = app(environ, start_response)
        return answer

    return logged


@contextmanager
def s3_store() -> Iterator[Store]:
    """S3 as moto speaks it."""
    requests: list[Asked] = []
    app = _logging(DomainDispatcherApplication(create_backend_app), requests)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    endpoint = f"http://127.0.0.1:{server.port}"
    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
    )
    client.create_bucket(Bucket=BUCKET)
    try:
        yield Store(endpoint, lambda name, data: client.put_object(Bucket=BUCKET, Key=name, Body=data), requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def google_store() -> Iterator[Store]:
    """Google Cloud Storage as gcp-storage-emulator speaks it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket=BUCKET)
    server.start()
    endpoint = f"http://127.0.0.1:{port}"

    def put(name: str, data: bytes) -> None:
        url = f"{endpoint}/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={quote(name, safe='')}"
        urlopen(Request(url, data, {"Content-Type": "application/octet-stream"})).close()

    try:
        yield Store(endpoint, put)
    finally:
        server.stop()


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """An endpoint that answers everything alike; no body to HEAD, as HTTP wants it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def silent() -> Iterator[str]:
    """An endpoint that accepts connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
