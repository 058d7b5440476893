"""No secret is printed: not of a URL, not of the environment, not by a library's message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.errors import SavepointError
from checker.model.secrets import masked
from checker.savepoint.remote_files import remote_files

SECRET = "topSecret0123"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"ftp://me:{SECRET}@host/x", "ftp://me:***@host/x"),
        (f"s3n://AKIA:{SECRET}/more@bucket/x", "s3n://AKIA:***@bucket/x"),
        (f"abfs://c@a/x?sv=1&sig={SECRET}%3D&se=2", "abfs://c@a/x?sv=1&sig=***&se=2"),
        (
            f"https://h/x?X-Amz-Credential={SECRET}/s3&X-Amz-Signature={SECRET}&X-Amz-Date=1",
            "https://h/x?X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Date=1",
        ),
        (f"https://h/x?X-Goog-Signature={SECRET}", "https://h/x?X-Goog-Signature=***"),
        (f"AccountName=me;AccountKey={SECRET}==;EndpointSuffix=x", "AccountName=me;AccountKey=***;EndpointSuffix=x"),
        (f"webhdfs://h:1/x?delegation={SECRET}", "webhdfs://h:1/x?delegation=***"),
        (f"'s3a://K:{SECRET}@b/x' 'ftp://u:{SECRET}@h/y'", "'s3a://K:***@b/x' 'ftp://u:***@h/y'"),
    ],
)
def test_secrets_of_urls(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "s3://bucket/savepoints/savepoint-ab12/_metadata",
        "abfss://container@account.dfs.core.windows.net/flink",
        "hdfs://namenode:8020/user@domain/x",
        "/var/flink/state/chk-1",
        "s3://bucket/key=value/token-1?versionId=3",
        "operator uid sig, 12 B",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@given(st.text())
def test_masking_twice_is_masking_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)


def test_credentials_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=me;AccountKey=keyOfMine42==;Other=1")
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", "x")  # too short to be told from words
    assert masked(f"bad {SECRET}, bad keyOfMine42==, text") == "bad ***, bad ***, text"


def test_an_azure_url_of_another_account_is_not_asked_with_these_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    where = "container@theirs.dfs.core.windows.net"
    monkeypatch.delenv("AZURE_STORAGE_CONNECTION_STRING", raising=False)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "mine")
    with pytest.raises(SavepointError, match="account theirs, but the credentials in the environment are of mine"):
        remote_files("abfss", where).size(f"abfss://{where}/x")
    remote_files.cache_clear()
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=other;AccountKey=aaaa")
    with pytest.raises(SavepointError, match="are of other"):
        remote_files("abfss", where).size(f"abfss://{where}/x")
    remote_files.cache_clear()
