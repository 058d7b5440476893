"""Savepoints on S3 and Google storage, over their real protocols: what is read, how much of it, what failures say."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import s3fs

from checker.errors import SavepointError
from checker.model.savepoint import Savepoint
from checker.savepoint import reader, remote_files
from checker.savepoint.places import PathMapping
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate.rewriting import planned_moves, read_for_rewriting, rewrite
from tests.savepoint.stores import BUCKET, KEY, SECRET, Store, answering, google_store, s3_store, silent

CASE = "2.3.0/keyed_files/savepoint"


@pytest.fixture(scope="module")
def served() -> Iterator[Store]:
    with s3_store() as store:
        yield store


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test asks anew, with credentials in the environment as a user gives them."""
    for variable in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    remote_files.remote_files.cache_clear()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def store(served: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("AWS_ENDPOINT_URL", served.endpoint)
    served.requests.clear()
    return served


def without_path(savepoint: Savepoint) -> tuple[object, ...]:
    return (savepoint.metadata_sha256, savepoint.operators, savepoint.files, savepoint.properties)


@pytest.mark.parametrize(
    "url",
    [
        f"s3://{BUCKET}/{CASE}",
        f"s3a://{BUCKET}/{CASE}/",
        f"S3N://AKIAOLD:old/Secret@{BUCKET}/{CASE}",
        f"s3p://{BUCKET}/{CASE}/_metadata",
    ],
)
def test_every_spelling_reads_as_the_local_folder(url: str, store: Store, snapshots: Path) -> None:
    store.put_folder(snapshots / CASE, CASE)
    savepoint = read_savepoint(url)
    assert without_path(savepoint) == without_path(read_savepoint(str(snapshots / CASE)))
    assert "old/Secret" not in savepoint.path


def test_only_what_is_needed_is_fetched(store: Store, snapshots: Path) -> None:
    folder = snapshots / CASE
    size = (folder / "_metadata").stat().st_size
    for file in folder.iterdir():
        long = b"" if file.name == "_metadata" else bytes(3_000_000)
        store.put(f"long/{file.name}", file.read_bytes() + long)
    savepoint = read_savepoint(f"s3://{BUCKET}/long")
    assert [o.headers for o in savepoint.operators] == [o.headers for o in read_savepoint(str(folder)).operators]
    assert store.fetched("_metadata") == [(0, size)]
    ranges = [r.range for r in store.requests if r.method == "GET" and r.path.startswith(f"/{BUCKET}/long/")]
    assert len(ranges) > 4
    assert all(span is not None and span[1] - span[0] < 1 << 19 for span in ranges)


def test_large_metadata_goes_through_a_temporary_file(
    store: Store, snapshots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (snapshots / CASE / "_metadata").stat().st_size
    store.put_folder(snapshots / CASE, CASE)
    monkeypatch.setattr(remote_files, "_PIECE", 500)
    savepoint = read_savepoint(f"s3://{BUCKET}/{CASE}")
    assert without_path(savepoint) == without_path(read_savepoint(str(snapshots / CASE)))
    ranges = store.fetched("_metadata")
    assert len(ranges) > 4
    assert sum(end - start for start, end in ranges) == size  # every byte once
    assert all(end - start <= 500 for start, end in ranges)


def test_too_little_space_for_a_copy_is_told(store: Store, snapshots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_folder(snapshots / CASE, CASE)
    monkeypatch.setattr(remote_files.shutil, "disk_usage", lambda _: SimpleNamespace(free=9))
    with pytest.raises(SavepointError, match=r"too little space.*TMPDIR"):
        read_savepoint(f"s3://{BUCKET}/{CASE}")


def test_a_checkpoint_through_a_mapping_and_by_its_own_urls(
    store: Store, snapshots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = snapshots / "2.3.0" / "keyed_rocksdb_ckpt"
    (checkpoint,) = (root / "ckpt").glob("*/chk-*")
    where = str(checkpoint.relative_to(snapshots))
    local = read_savepoint(str(checkpoint), mappings=[PathMapping("/var/flink/state", str(snapshots))])
    store.put_folder(root, "2.3.0/keyed_rocksdb_ckpt")
    mapped = read_savepoint(
        f"s3://{BUCKET}/{where}", mappings=[PathMapping.parse(f"file:/var/flink/state=s3://{BUCKET}/")]
    )
    assert without_path(mapped) == without_path(local)
    # the same checkpoint as Flink writes it to S3: paths of the same length, so that no length in the file changes
    metadata = (checkpoint / "_metadata").read_bytes()
    prefix = f"s3://{BUCKET}/abcd"
    own = metadata.replace(b"file:/var/flink/state", prefix.encode())
    assert len(own) == len(metadata) != 0
    assert own != metadata
    store.put_folder(root, "abcd/2.3.0/keyed_rocksdb_ckpt")
    store.put(f"abcd/{where}/_metadata", own)
    direct = read_savepoint(f"s3://{BUCKET}/abcd/{where}")
    assert direct.files == local.files
    assert [o.headers for o in direct.operators] == [o.headers for o in local.operators]
    monkeypatch.setattr(reader, "_MOST_ASKED", 2)
    some = read_savepoint(f"s3://{BUCKET}/abcd/{where}").files
    assert some is not None
    assert local.files is not None
    assert some.checked < some.total == local.files.total
    assert "only the first 2" in some.unreachable[0]


def test_what_is_not_there(store: Store, snapshots: Path) -> None:
    store.put("folder/some/file", b"x")
    with pytest.raises(SavepointError, match=f"s3://{BUCKET}/nothing does not exist"):
        read_savepoint(f"s3://{BUCKET}/nothing")
    with pytest.raises(SavepointError, match="s3://no-such-bucket/x does not exist"):
        read_savepoint("s3://no-such-bucket/x")
    with pytest.raises(SavepointError, match="directory without a _metadata file"):
        read_savepoint(f"s3://{BUCKET}/folder")
    with pytest.raises(SavepointError, match="damaged or not Flink's"):
        read_savepoint(f"s3://{BUCKET}/folder/some/file")
    store.put("alone/_metadata", (snapshots / CASE / "_metadata").read_bytes())
    files = read_savepoint(f"s3://{BUCKET}/alone").files
    assert files is not None
    assert files.missing_count > 0


def test_refused_credentials_are_told_without_them(
    store: Store, snapshots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moto import settings
    from moto.core.responses import ActionAuthenticatorMixin

    store.put_folder(snapshots / CASE, CASE)
    monkeypatch.setattr(settings, "INITIAL_NO_AUTH_ACTION_COUNT", 0)
    monkeypatch.setattr(ActionAuthenticatorMixin, "request_count", 1)
    with pytest.raises(SavepointError, match="Access Key Id you provided does not exist") as error:
        read_savepoint(f"s3://{BUCKET}/{CASE}")
    assert "AWS_PROFILE" in str(error.value)
    assert SECRET not in str(error.value)


def test_an_expired_token_is_told_although_head_has_no_body(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
    with answering(400, body) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        monkeypatch.setenv("AWS_SESSION_TOKEN", "expiredTokenOfTheTests")
        with pytest.raises(SavepointError, match="The provided token has expired"):
            read_savepoint(f"s3://{BUCKET}/x")


def test_an_endpoint_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_files, "FIRST_ANSWER", 1.0)
    with silent() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        with pytest.raises(SavepointError, match="no answer within 1 seconds"):
            read_savepoint(f"s3://{BUCKET}/x")
        monkeypatch.setattr(remote_files, "FIRST_ANSWER", 3600.0)  # it is not asked again
        with pytest.raises(SavepointError, match="no answer within 1 seconds"):
            read_savepoint(f"s3://{BUCKET}/y")


def test_google_storage(snapshots: Path) -> None:
    local = without_path(read_savepoint(str(snapshots / CASE)))
    with google_store() as store:
        store.put_folder(snapshots / CASE, CASE)
        # a process of its own: gcsfs takes the endpoint from the environment when it is imported
        urls = [f"gs://{BUCKET}/{CASE}", f"gs://{BUCKET}/{CASE}/_metadata", f"gs://{BUCKET}/nothing"]
        run = subprocess.run(
            [sys.executable, "-c", _READ, *urls],
            env={**os.environ, "STORAGE_EMULATOR_HOST": store.endpoint, "NO_GCE_CHECK": "true"},
            capture_output=True,
            check=True,
        )
    by_folder, by_file, missing = pickle.loads(run.stdout)
    assert without_path(by_folder) == without_path(by_file) == local
    assert f"gs://{BUCKET}/nothing does not exist" in missing
    assert run.stderr == b""


_READ = """
import pickle, sys
from checker.errors import SavepointError, UsageError
from checker.savepoint.reader import read_savepoint
found = []
for url in sys.argv[1:]:
    try:
        found.append(read_savepoint(url))
    except SavepointError as error:
        found.append(str(error))
sys.stdout.buffer.write(pickle.dumps(found))
"""


def test_a_key_file_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/key.json")
    with pytest.raises(SavepointError, match="GOOGLE_APPLICATION_CREDENTIALS names /nonexistent/key"):
        read_savepoint(f"gs://{BUCKET}/x")


def test_a_savepoint_is_rewritten_from_afar(store: Store, snapshots: Path, tmp_path: Path) -> None:
    store.put_folder(snapshots / CASE, CASE)
    url = f"s3a://{BUCKET}/{CASE}"
    savepoint = read_for_rewriting(url)
    rewrite(savepoint, url, tmp_path / "here", planned_moves(savepoint, ["kp=sum"]))
    got = read_savepoint(str(tmp_path / "here"))
    assert got.files is not None
    assert (got.files.missing_count, got.files.unreachable) == (0, ())
    assert not any(o.files.relative for o in got.operators)


def test_credentials_of_a_url_are_not_written(store: Store, snapshots: Path, tmp_path: Path) -> None:
    store.put_folder(snapshots / CASE, CASE)
    url = f"S3N://AKIAOLD:oldSecret@{BUCKET}/{CASE}"
    savepoint = read_for_rewriting(url)
    with pytest.raises(SavepointError, match="holds credentials"):
        rewrite(savepoint, url, tmp_path / "out", planned_moves(savepoint, ["kp=sum"]))
    assert list(tmp_path.iterdir()) == []
